"""What commands answer. Each becomes one documented JSON object, and a page for people.

A name is loaded from its module when it is first asked for: making a dataclass takes half a
millisecond, and a command needs a few of these thirty.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.core.reports.audit import SEVERITIES as SEVERITIES
    from memcli.core.reports.audit import AuditReport as AuditReport
    from memcli.core.reports.audit import Finding as Finding
    from memcli.core.reports.audit import Severity as Severity
    from memcli.core.reports.calls import CallLine as CallLine
    from memcli.core.reports.calls import CallsReport as CallsReport
    from memcli.core.reports.calls import CallText as CallText
    from memcli.core.reports.calls import EstimatedTask as EstimatedTask
    from memcli.core.reports.calls import EstimateReport as EstimateReport
    from memcli.core.reports.comparison import Compared as Compared
    from memcli.core.reports.comparison import CompareReport as CompareReport
    from memcli.core.reports.context import SECTIONS as SECTIONS
    from memcli.core.reports.context import ContextItem as ContextItem
    from memcli.core.reports.context import ContextReport as ContextReport
    from memcli.core.reports.context import ContextSection as ContextSection
    from memcli.core.reports.context import SectionName as SectionName
    from memcli.core.reports.diff import CHANGES as CHANGES
    from memcli.core.reports.diff import Change as Change
    from memcli.core.reports.diff import ChangeKind as ChangeKind
    from memcli.core.reports.diff import DiffReport as DiffReport
    from memcli.core.reports.due import Due as Due
    from memcli.core.reports.due import StrategyInfo as StrategyInfo
    from memcli.core.reports.evaluation import EvalArm as EvalArm
    from memcli.core.reports.evaluation import EvalCost as EvalCost
    from memcli.core.reports.evaluation import EvalDifference as EvalDifference
    from memcli.core.reports.evaluation import EvalForm as EvalForm
    from memcli.core.reports.evaluation import EvalIntegrity as EvalIntegrity
    from memcli.core.reports.evaluation import EvalMetric as EvalMetric
    from memcli.core.reports.evaluation import EvalReport as EvalReport
    from memcli.core.reports.evaluation import EvalThreshold as EvalThreshold
    from memcli.core.reports.evaluation import EvalTimings as EvalTimings
    from memcli.core.reports.forget import ForgetItem as ForgetItem
    from memcli.core.reports.forget import ForgetReport as ForgetReport
    from memcli.core.reports.health import DigestReport as DigestReport
    from memcli.core.reports.health import DoctorLine as DoctorLine
    from memcli.core.reports.health import DoctorReport as DoctorReport
    from memcli.core.reports.health import InitReport as InitReport
    from memcli.core.reports.health import ReindexReport as ReindexReport
    from memcli.core.reports.ingest import BadUnit as BadUnit
    from memcli.core.reports.ingest import IngestReport as IngestReport
    from memcli.core.reports.ingest import SourceReport as SourceReport
    from memcli.core.reports.passes import OPERATIONS as OPERATIONS
    from memcli.core.reports.passes import ConsolidateReport as ConsolidateReport
    from memcli.core.reports.passes import Outcome as Outcome
    from memcli.core.reports.passes import RollbackReport as RollbackReport
    from memcli.core.reports.search import Attached as Attached
    from memcli.core.reports.search import LeftOut as LeftOut
    from memcli.core.reports.search import Match as Match
    from memcli.core.reports.search import SearchHit as SearchHit
    from memcli.core.reports.search import SearchReport as SearchReport
    from memcli.core.reports.search import Understood as Understood
    from memcli.core.reports.show import HistoryEntry as HistoryEntry
    from memcli.core.reports.show import HistoryReport as HistoryReport
    from memcli.core.reports.show import ShowReport as ShowReport
    from memcli.core.reports.why import WhyNode as WhyNode
    from memcli.core.reports.why import WhyQuote as WhyQuote

_MODULES = {
    "audit": "Severity SEVERITIES Finding AuditReport",
    "calls": "EstimatedTask EstimateReport CallLine CallText CallsReport",
    "comparison": "Compared CompareReport",
    "context": "SectionName SECTIONS ContextItem ContextSection ContextReport",
    "forget": "ForgetItem ForgetReport",
    "ingest": "BadUnit SourceReport IngestReport",
    "diff": "ChangeKind CHANGES Change DiffReport",
    "passes": "Outcome OPERATIONS ConsolidateReport RollbackReport",
    "why": "WhyQuote WhyNode",
    "search": "Attached LeftOut Match SearchHit SearchReport Understood",
    "due": "Due StrategyInfo",
    "show": "HistoryEntry HistoryReport ShowReport",
    "evaluation": (
        "EvalArm EvalCost EvalDifference EvalForm EvalIntegrity EvalMetric EvalReport EvalThreshold"
        " EvalTimings"
    ),
    "health": "DigestReport ReindexReport DoctorLine DoctorReport InitReport",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
