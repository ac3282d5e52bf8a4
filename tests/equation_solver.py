"""Solves values defined one by the other from their English alone."""

from __future__ import annotations

import re
from collections.abc import Collection

NO_NUMBERS = (
    r"(?i)here is one|please answer in a few words|(?:this|next) one"
    r"|mod(?:ulo)? 10|add 10 if it is below 0"
)
PAIRS = (
    (r"(\w+) (?:=|is|equals) (\w+) (?:\+|plus) (\d+)$", "xyd+"),
    (r"(\w+) = (\d+) \+ (\w+)$", "xdy+"),
    (r"(\w+) (?:=|is|equals) (\w+) (?:-|minus) (\d+)$", "xyd-"),
    (r"(\w+) (?:is|equals) (\d+) more than (\w+)$", "xdy+"),
    (r"(\w+) (?:is|equals) (\d+) less than (\w+)$", "xdy-"),
    (r"[Aa]dd (\d+) to (\w+) to get (\w+)$", "dyx+"),
    (r"[Tt]ake (\d+) from (\w+) to get (\w+)$", "dyx-"),
    (r"(\d+) more than (\w+) is (\w+)$", "dyx+"),
    (r"(\d+) less than (\w+) is (\w+)$", "dyx-"),
    (r"(\w+) plus (\d+) is (\w+)$", "ydx+"),
    (r"(\w+) minus (\d+) is (\w+)$", "ydx-"),
    (r"(\w+) (?:has|owns) (\d+) (?:\w+ )?more (?:\w+ )?than (\w+)$", "xdy+"),
    (r"(\w+) (?:has|owns) (\d+) (?:\w+ )?(?:fewer|less) (?:\w+ )?than (\w+)$", "xdy-"),
    (r"(\w+) is (\d+) (?:years? )?older than (\w+)$", "xdy+"),
    (r"(\w+) is (\d+) (?:years? )?younger than (\w+)$", "xdy-"),
    (r"(\w+) is older than (\w+) by (\d+) years?$", "xyd+"),
    (r"(\w+) is younger than (\w+) by (\d+) years?$", "xyd-"),
)  # fmt: skip
FIRST = (
    r"(\w+) (?:=|is now|is|equals|be|to be|has just|has got|has|owns just|owns) (\d+)"
    r"(?: \w+| years old)?$"
)


UNITS = r"(?:years?|points?|cm|centimetres?|kilos?|floors?|dollars?)"
PREFIXES = (
    r"(?i)^(?:and |also )?(?:let|define|put|we have|suppose|assume that|assume|imagine that"
    r"|we know that|we know|it is given that|today) "
)
LONGER = (  # clauses with a comma inside: by what they begin, where a line begins
    r"(?i)(?:^|(?<=[.;?!:,] )|(?<=\n)|(?<= and ))(to get \w+|to get from \w+ to \w+"
    r"|compared with [\w' ]+|next to \w+"
    r"|if you \w+ \d+ (?:away )?(?:to|from) \w+), "
)
ABOVE = "more|extra|older|taller|higher|greater|bigger|above|ahead of|longer|before|heavier|dearer"
BELOW = "less|fewer|younger|shorter|lower|smaller|below|behind|after|lighter|cheaper"
MORE_OR_LESS = rf"(?:(?P<up>{ABOVE})|(?:{BELOW}))"
ADD = r"(?:(?P<up>add)|subtract|take)"
X, Y, D = r"(?P<x>\w+)", r"(?P<y>\w+)", r"(?P<d>\d+)"
SIGN = r"(?:(?P<up>\+|plus|and|increased by)|-|minus|but|without|reduced by)"
HAS = r"\w+(?: got| lived| born)?"
IS = (
    r"(?:=|equal|be|have|stands for|ended game with|sells for"
    r"|(?:is|has|holds|keeps|scored|made|measures|lives|weighs|carries|costs|turned|was)"
    r"(?: (?:equal to|number|exactly|known to be|a total of|value|just turned|aged|lived for"
    r"|born|grown to|priced at|owner of|on floor|a flat on floor|a bag of|a weight of"
    r"|a plant of))?)"
)
RELATIONS = (
    rf"{X} (?:=|is) {Y} {SIGN} {D}",
    rf"{X} = (?:{D} (?P<up>\+)|- ?(?P<less>\d+) \+) {Y}",
    rf"{Y} {SIGN} {D} (?:=|is|gives|makes|together make) {X}",
    rf"{D} (?P<up>\+) {Y} = {X}",
    rf"{X} is {Y} with {D} (?:(?P<up>added)|taken away)",
    rf"{X} is (?P<up>sum) of {Y} and {D}",
    rf"(?P<up>sum) of {Y} and {D} is {X}",
    rf"to get {X} {ADD} {D} (?:to|from) {Y}",
    rf"get {X} by (?:(?P<up>adding)|taking) {D} (?:to|away from) {Y}",
    rf"(?:(?P<up>adding)|subtracting) {D} (?:to|from) {Y} gives {X}",
    rf"if you {ADD} {D} (?:away )?(?:to|from) {Y} you get {X}",
    rf"{D} (?:(?P<up>added to)|taken away from) {Y} (?:makes|leaves) {X}",
    rf"(?:(?P<up>raise)|lower) {Y} by {D} to get {X}",
    rf"counting {D} (?:(?P<up>up)|down) from {Y} gives {X}",
    rf"(?:go|going) (?:(?P<up>up)|down) {D} from {Y} (?:to reach|takes you to) {X}",
    rf"to get from {Y} to {X} go (?:(?P<up>up)|down) {D}",
    rf"{X} is what you get when you {ADD} {D} (?:to|from) {Y}",
    rf"{X} is what is left of {Y} without {D}",
    rf"take (?:what )?{Y} (?:has )?and {ADD} {D} to get (?:what )?{X}(?: has)?",
    rf"{ADD} {D} (?:to|from) (?:what )?{Y} (?:has )?to get (?:what |that of )?{X}(?: has)?",
    rf"{X} {HAS} {D} (?:\w+ )?{MORE_OR_LESS}(?: \w+)?(?: than| compared with)? {Y}(?: has| does)?",
    rf"{X} is {MORE_OR_LESS} (?:expensive )?(?:than )?{Y} by {D}",
    rf"{X} (?:(?P<up>exceeds|beats|leads|has outgrown)|trails|falls short of) {Y} by {D}(?: \w+)?",
    rf"{X} is {Y} (?:(?P<up>elder)|junior) by {D}",
    rf"(?:compared with|next to) {Y}(?: plant| bag)? {X} \w+ {D} {MORE_OR_LESS}(?: \w+)?",
    rf"{X} is {MORE_OR_LESS} by {D} than {Y}",
    rf"{X} lacks {D} \w+ compared with {Y}",
    rf"{X} \w+ as (?:many|much) (?:\w+ )?as {Y} {SIGN} {D}(?: more| fewer)?",
    rf"{X} has (?:what )?{Y} (?:has )?{SIGN} {D}(?: more)?",
    rf"{D} {MORE_OR_LESS} (?:\w+ )?than {Y} is what {X} (?:has|is)",
    rf"{D} (?:(?P<up>above)|below) {Y} lives {X}",
    rf"for {X} you pay {D} {MORE_OR_LESS} than for {Y}",
)
STARTS = (
    rf"there (?:is|are) {D} \w+ in {X} box",
    rf"{X} {IS} {D}(?: [\w ]+)?",
    rf"(?:floor )?{D} is (?:where )?{X}(?: lives)?",
    rf"give {X} value {D}",
    rf"write {X} for {D}",
    rf"for {X} take {D}",
    rf"take {D} for {X}",
    rf"{X} (?:takes value|starts as) {D}",
    rf"on floor {D} lives {X}",
    rf"bag that {X} carries weighs {D}",
    rf"number of \w+ that {X} has is {D}",
    rf"{D} \w+ (?:is|are) owned by {X}",
    rf"you pay {D} for {X}",
    rf"for {D} you get {X}",
)
ASKS = (
    r"(?:What|Which|How|Find|Tell me|Give|Calculate|Compute|Determine|I want|I would|Do you know"
    r"|Could you find|Solve for|Please find|Can you (?:tell me|work out)|On which|Where|Work out"
    r"|Print|\w+ (?:is what|has how|is how|= ?$)|\w$)"
)


def asked_for(lines: list[str], names: Collection[str]) -> str:
    """Return the name that the question among the lines asks for."""
    asks = [re.findall(r"\w+", line) for line in lines if re.match(ASKS, line)]
    return [word for words in asks for word in words if word in names][-1]


def lines_of(text: str) -> list[str]:
    """Return the lines of a question, each ``=``, ``+`` and ``-`` between spaces."""
    text = re.sub(r" ?(?::=|<-|=) ?", " = ", re.sub(NO_NUMBERS, "", text))
    text = re.sub(r"(?<=\w)([+-])(?=\w)", r" \1 ", text)
    return re.split(r"[.;?\n!:] ?|, ", re.sub(LONGER, r"\1 ", text))


def bare(line: str) -> str:
    """Return a line without what is said of both sides, such as the age of a person."""
    line = re.sub(r"'s (?:age|plant|bag|flat|score|number of \w+)\b|'s\b", "", line)
    line = re.sub(PREFIXES, "", re.sub(r"(?i)^(?:and|also) ", "", line))
    line = re.sub(r"\b[Tt]he (?:age|price|score|height|weight|value) of ", "", line)
    line = re.sub(r"\b[Tt]he ", "", line)
    return re.sub(rf"(\d+) (more |fewer )?{UNITS}\b", r"\1 \2", line).replace("  ", " ").strip()


def related(line: str) -> tuple[str, str, int] | None:
    """Return the name that is defined, the one it is defined by, and what is added."""
    clause = bare(line)
    for pattern in RELATIONS:
        if match := re.fullmatch(rf"(?i:{pattern})", clause):
            part = match.groupdict()
            amount = int(part["d"] or part["less"])
            return part["x"], part["y"], amount if part.get("up") else -amount
    for pattern, order in PAIRS:
        if match := re.search(rf"(?:^|\b){pattern}", line):
            part = dict(zip(order, match.groups(), strict=False))
            return part["x"], part["y"], int(part["d"]) * (1 if order[3] == "+" else -1)
    return None


def started(line: str) -> tuple[str, int] | None:
    """Return the name that has a value from the start, and the value."""
    clause = bare(line)
    for pattern in STARTS:
        if match := re.fullmatch(rf"(?i:{pattern})", clause):
            return match["x"], int(match["d"])
    if match := re.search(FIRST, line):
        return match[1], int(match[2])
    return None


def rules_of(text: str) -> tuple[dict[str, tuple[str, int]], str]:
    """Return what each name is defined by, and the name asked for."""
    rules: dict[str, tuple[str, int]] = {}
    others = []
    for line in lines_of(text):
        if relation := related(line):
            x, y, amount = relation
            assert x not in rules, "defined twice"
            rules[x] = y, amount
        elif start := started(line):
            assert start[0] not in rules, "defined twice"
            rules[start[0]] = "", start[1]
        else:
            others.append(line)
    return rules, asked_for(others, rules)


def solve_variables(text: str) -> str:
    """Values defined one by the other, in any order."""
    rules, asked = rules_of(text)
    value = 0
    while asked:
        asked, amount = rules[asked]
        value += amount
    return str(value)


OPERATION = r"(?P<y>\w) (?:(?P<up>\+|plus)|-|minus|less) (?P<z>\w)"
PROGRAM = (
    rf"(?P<x>\w) (?:=|is|to|be|as|equals|gets|becomes|holds) {OPERATION}",
    rf"{OPERATION} (?:=|gives|in|into|to) (?P<x>\w)",
    r"(?P<x>\w) is the (?P<up>sum) of (?P<y>\w) and (?P<z>\w)",
    r"(?:(?P<up>add)|take) (?P<z>\w) (?:to|from) (?P<y>\w) to get (?P<x>\w)",
    r"get (?P<x>\w) by (?:(?P<up>adding)|subtracting) (?P<z>\w) (?:to|from) (?P<y>\w)",
    r"(?:(?P<up>adding)|subtracting) (?P<z>\w) (?:to|from) (?P<y>\w) gives (?P<x>\w)",
)
SET = (
    r"\b(?P<x>[A-Za-z]) (?:=|is|to|be|as|equals|gets|holds|starts at|starts as|the value)"
    r" (?P<d>\d)\b"
    r"|\b(?:store|put|assign|write) (?P<d2>\d) (?:in|into|to) (?P<x2>\w)\b"
)


def solve_program(text: str) -> str:
    """Last digits of what was, plus or minus any earlier value."""
    text = re.sub(r" ?(?::=|<-|=) ?", " = ", re.sub(NO_NUMBERS, "", text))
    text = re.sub(r"(?<=\b\w)([+-])(?=\w\b)", r" \1 ", text)
    first = re.search(rf"(?i){SET}", text)
    values = {first["x"] or first["x2"]: int(first["d"] or first["d2"])}
    lines = [line for pattern in PROGRAM for line in re.finditer(rf"(?i)\b{pattern}\b", text)]
    lines.sort(key=lambda line: line.start())
    end = first.end()
    for line in lines:
        assert line.start() >= end, "lines overlap"
        end = line.end()
        x, y, z = line["x"], values[line["y"]], values[line["z"]]
        assert x not in values
        values[x] = (y + (z if line["up"] else -z)) % 10
    rest = text[: first.start()] + "\n" + text[end:]
    return str(values[asked_for(re.split(r"[.,?!:\n] ?", rest), values)])
