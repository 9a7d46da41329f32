"""Values to tables, diffs, trees and JSON. The only layer that knows rich."""
