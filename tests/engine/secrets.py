"""Secrets of many vendors, put together at run time: no key-like word stands in a file.

Each is made of letters that a seed draws, in the shape that the vendor documents.
"""

import base64
import json
import random
import string

_LETTERS = string.ascii_letters + string.digits
_URL = _LETTERS + "_-"
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + "234567"
_DIGITS = "123456789"

# What stands around a secret that has no shape of its own, `*` in its place.
_AROUND = {
    "aws secret": "aws_secret_access_key = *",
    "aws secret, short": 'AWS_SECRET_KEY="*"',
    "url": "postgres://ida:*@db.example:5432/pots",
    "bearer": "Authorization: Bearer *",
    "azure storage": "DefaultEndpointsProtocol=https;AccountName=pots;AccountKey=*;EndpointSuffix=x",
    "telegram": "TELEGRAM_TOKEN=*",
    "password": "password = '*'",
    "password, env": "export DB_PASSWORD=*",
    "password, yaml": "  db_password: *",
    "password, go": 'password := "*"',
    "password, said": "The password: * and then log in.",
    "api key, json": '{"api_key": "*"}',
    "api key, json in json": '{"arguments": "{\\"api_key\\": \\"*\\"}"}',
    "api key, keyword": 'client = Client(api_key="*")',
    "api key, header": "-H 'x-api-key: *'",
    "client secret": "client_secret: *",
    "cloudant": "cloudant_password = '*'",
    "ibm": "ibm_api_key = *",
    "mailgun": "MAILGUN_API_KEY=*",
    "cohere": "COHERE_API_KEY=*",
    "azure openai": "AZURE_OPENAI_API_KEY=*",
    "groq": "GROQ_API_KEY=*",
    "replicate": "REPLICATE_API_TOKEN=*",
    "perplexity": "PERPLEXITY_API_KEY=*",
    "xai": "XAI_API_KEY='*'",
    "langsmith": "LANGSMITH_API_KEY=*",
    "tavily": "TAVILY_API_KEY=*",
    "nvidia": "NVIDIA_API_KEY=*",
    "digitalocean": "DIGITALOCEAN_TOKEN=*",
    "databricks": "DATABRICKS_TOKEN=*",
    "vercel": "VERCEL_TOKEN=*",
    "shopify": "SHOPIFY_TOKEN=*",
    "linear": "LINEAR_API_KEY=*",
    "notion": "NOTION_TOKEN=*",
    "figma": "FIGMA_TOKEN: *",
    "atlassian": "JIRA_API_TOKEN=*",
    "postman": "POSTMAN_API_KEY=*",
    "newrelic": "NEW_RELIC_API_KEY=*",
    "grafana": "GRAFANA_TOKEN=*",
    "sentry": "SENTRY_AUTH_TOKEN=*",
    "supabase": "SUPABASE_SERVICE_KEY=*",
    "vault": "VAULT_TOKEN=*",
    "docker": "DOCKER_TOKEN=*",
}


def _jwt(draw: "_Draw") -> str:
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": "ida"}]
    coded = [base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=") for p in parts]
    return ".".join([*coded, draw(43, _URL)])


class _Draw:
    """Words of drawn letters, at least one digit and one letter in each."""

    def __init__(self) -> None:
        self._lots = random.Random(5)

    def __call__(self, size: int, letters: str = _LETTERS) -> str:
        drawn = "".join(self._lots.choice(letters) for _ in range(size - 2))
        return f"a{drawn}7" if "a" in letters else drawn + self._lots.choice(letters) * 2

    def base64(self, size: int) -> str:
        """`size` drawn bytes in base64."""
        return base64.b64encode(bytes(self._lots.randrange(256) for _ in range(size))).decode()


def samples() -> dict[str, tuple[str, str]]:
    """name -> (secret, a line of text that holds it)."""
    draw = _Draw()
    armour = "\n".join(draw.base64(48) for _ in range(8))
    dashes = "-" * 5
    found = {
        "aws id": "AKIA" + draw(16, _UPPER),
        "aws secret": draw(40),
        "aws secret, short": draw(40),
        "github": "ghp_" + draw(36),
        "github app": "ghs_" + draw(36),
        "github fine": f"github_pat_{draw(22)}_{draw(59)}",
        "gitlab": "glpat-" + draw(20),
        "slack": f"xoxb-{draw(12, _DIGITS)}-{draw(12, _DIGITS)}-{draw(24)}",
        "slack hook": f"https://hooks.slack.com/services/T{draw(8, _UPPER)}/B{draw(8, _UPPER)}/{draw(24)}",
        "openai": f"sk-proj-{draw(40, _URL)}T3BlbkFJ{draw(40, _URL)}",
        "anthropic": f"sk-ant-api03-{draw(93, _URL)}AA",
        "openrouter": "sk-or-v1-" + draw(64, _HEX),
        "google": "AIza" + draw(35),
        "google oauth": "GOCSPX-" + draw(28),
        "stripe": "sk_live_" + draw(24),
        "huggingface": "hf_" + draw(34, string.ascii_letters),
        "npm": "npm_" + draw(36),
        "pypi": "pypi-AgEIcHlwaS5vcmc" + draw(120),
        "jwt": _jwt(draw),
        "private key": f"{dashes}BEGIN RSA PRIVATE KEY{dashes}\n{armour}\n{dashes}END RSA PRIVATE KEY{dashes}",
        "url": draw(14),
        "bearer": draw(40),
        "sendgrid": f"SG.{draw(22)}.{draw(43)}",
        "mailchimp": draw(32, _HEX) + "-us12",
        "twilio": "SK" + draw(32, _HEX),
        "twilio account": "AC" + draw(32, _HEX),
        "discord": f"MTA{draw(21)}.{draw(6)}.{draw(27)}",
        "square": "sq0csp-" + draw(43),
        "artifactory": "AKC" + draw(69),
        "azure storage": draw.base64(64),
        "telegram": f"{draw(10, _DIGITS)}:AA{draw(33)}",
        "password": draw(16),
        "password, env": "Tr0ub4dor&" + draw(6),
        "password, yaml": draw(12) + "!#",
        "password, go": draw(12),
        "password, said": draw(10),
        "api key, json": draw(32),
        "api key, json in json": draw(32),
        "api key, keyword": draw(32),
        "api key, header": draw(32),
        "client secret": draw(32, _HEX),
        "cloudant": draw(64, _HEX),
        "ibm": draw(44),
        "mailgun": "key-" + draw(32, _HEX),
        "cohere": draw(40),
        "azure openai": draw(32, _HEX),
        "groq": "gsk_" + draw(52),
        "replicate": "r8_" + draw(37),
        "perplexity": "pplx-" + draw(48),
        "xai": "xai-" + draw(80),
        "langsmith": f"lsv2_pt_{draw(32, _HEX)}_{draw(10, _HEX)}",
        "tavily": "tvly-" + draw(32),
        "nvidia": "nvapi-" + draw(64),
        "digitalocean": "dop_v1_" + draw(64, _HEX),
        "databricks": "dapi" + draw(32, _HEX),
        "vercel": "vcp_" + draw(56),
        "shopify": "shpat_" + draw(32, _HEX),
        "linear": "lin_api_" + draw(40),
        "notion": "ntn_" + draw(46),
        "figma": "figd_" + draw(40),
        "atlassian": "ATATT3xFfGF0" + draw(180),
        "postman": f"PMAK-{draw(24, _HEX)}-{draw(34, _HEX)}",
        "newrelic": "NRAK-" + draw(27),
        "grafana": f"glsa_{draw(32)}_{draw(8, _HEX)}",
        "sentry": "sntryu_" + draw(64, _HEX),
        "supabase": "sbp_" + draw(40, _HEX),
        "vault": "hvs." + draw(95),
        "docker": "dckr_pat_" + draw(27),
    }
    return {
        name: (secret, _AROUND.get(name, "Use this: * and go on.").replace("*", secret))
        for name, secret in found.items()
    }
