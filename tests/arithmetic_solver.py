"""Solves serial questions about numbers from their English alone, by other code than makes them."""

from __future__ import annotations

import re

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NO_NUMBERS = (
    r"(?i)here is one|please answer in a few words|(?:this|next) one|mod 10|add 10 if it is below 0"
)
BREAKS = r"[.;:?!\n]| and then |, then |, and |, | and | then "
GIVES = r"\b(?:giv|gave|hands?\b|handed|send|sent|lend|lent|pay|paid|sell|sold)"
LESS = (
    r"(?i)\b(?:minus|less\b|subtract|take|took|taken|down|off|decrease|fall|fell|drop|colder"
    r"|lose|lost|throw|threw|leave|run|walk|disappear|spend|spent|sold|fewer|younger|pay|paid"
    r"|steps?\b)"
)
MORE = (
    r"(?i)\b(?:plus|add|up|on top|put on|puts in|put in|into|increase|rise|grow|warm|climb|find"
    r"|found|win|won|collect|pick|receive|get|gets|got|come|join|arrive|board|earn|save|buy|bought"
    r"|more|borrow)"
)


def in_digits(text: str) -> str:
    """Return the text with its number words as digits."""
    text = re.sub(NO_NUMBERS, "", text)
    return re.sub(
        rf"(?i)\b({'|'.join(NUMBERS)})\b", lambda m: str(NUMBERS.index(m[1].lower())), text
    )


def clauses(text: str) -> list[str]:
    """Return the parts of the text that hold a number or say of an empty basket."""
    parts = (part.strip() for part in re.split(BREAKS, in_digits(text)))
    parts = (re.sub(r"^[Tt]hen ", "", part) for part in parts)
    return [
        part
        for part in parts
        if re.search(r"\d|[Ss]hopping|to the (?:shop|market)|an empty basket", part)
    ]


def solve_sum(text: str) -> str:
    """A sum with signs, or one that is told."""
    if signed := re.search(r"\d+( ?[-+] ?\d+)+", text):
        return str(sum(int(term) for term in re.findall(r"[-+]?\d+", signed[0].replace(" ", ""))))
    sign_ = "plus|minus|take away|add"
    if spoken := re.search(rf"\d+(?: (?:{sign_}) \d+)+", in_digits(text)):
        terms = re.findall(rf"({sign_})? ?(\d+)", spoken[0])
        return str(sum(-int(d) if sign in ("minus", "take away") else int(d) for sign, d in terms))
    return solve_story(text)


def hero_of(clause: str) -> str:
    """Return whom the first clause is about."""
    names = [
        w for w in re.findall(r"\b[A-Z][a-z]+|\bI\b", clause) if w not in ("In", "At", "There")
    ]
    return names[-1] if names else "It"


def sign(clause: str, hero: str, thing: str) -> int:
    """Return whether the clause is of more or of less."""
    first = clause.partition(" ")[0]
    by_other = first[0].isupper() and first not in (hero, "I", "He", "She", "It", "At")
    if re.search(rf"\bfrom (him|her|me|{hero})\b", clause):
        return -1
    if "back" in clause and "get" not in clause and "got" not in clause and "come" not in clause:
        return -1
    if re.search(rf"\bfrom (?!{hero}\b|that|it|the)", clause):
        return 1
    if re.search(GIVES, clause) and not re.search(r"\b(are|is) sold", clause):
        sells_for_money = re.search(r"s[eo]l[ld]", clause) and thing in ("dollars", "dollar")
        return 1 if by_other or sells_for_money else -1
    if re.search(r"\b(buy|buys|bought) the ", clause):
        return -1  # with money
    if re.search(LESS, clause):
        return -1
    assert re.search(MORE, clause), clause
    return 1


def solve_story(text: str) -> str:
    """A number that goes up and down, clause by clause."""
    first, *rest = clauses(text)
    value = int(re.search(r"\d+", first)[0])
    hero = hero_of(first)
    thing = (re.search(r"\d+ (\w+)", first) or ["", ""])[1]
    for clause in rest:
        value += sign(clause, hero, thing) * int(re.search(r"\d+", clause)[0])
        assert 0 <= value <= 99, clause
    return str(value)


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


def rules_of(text: str) -> tuple[dict[str, tuple[str, int]], str]:
    """Return what each name is defined by, and the name asked for."""
    rules: dict[str, tuple[str, int]] = {}
    asked = ""
    for line in re.split(r"[.;?\n!:] ?|, ", re.sub(NO_NUMBERS, "", text)):
        for pattern, order in PAIRS:
            if match := re.search(rf"(?:^|\b){pattern}", line):
                part = dict(zip(order, match.groups(), strict=False))
                assert part["x"] not in rules, "defined twice"
                rules[part["x"]] = part["y"], int(part["d"]) * (1 if order[3] == "+" else -1)
                break
        else:
            if match := re.search(FIRST, line):
                rules[match[1]] = "", int(match[2])
            elif known := [word for word in re.findall(r"\w+", line) if word in rules]:
                asked = known[-1]
    return rules, asked


def solve_variables(text: str) -> str:
    """Values defined one by the other, in any order."""
    rules, asked = rules_of(text)
    value = 0
    while asked:
        asked, amount = rules[asked]
        value += amount
    return str(value)


def solve_program(text: str) -> str:
    """Last digits of what was, plus or minus any earlier value."""
    text = re.sub(NO_NUMBERS, "", text)
    first = re.search(r"\b([A-Za-z]) (?:=|is|to) (\d)", text)
    values = {first[1]: int(first[2])}
    for x, y, sign_, z in re.findall(r"\b(\w) (?:=|is|to) (\w) (\+|-|plus|minus) (\w)\b", text):
        assert x not in values
        values[x] = (values[y] + (values[z] if sign_ in ("+", "plus") else -values[z])) % 10
    end = re.split(r" (?:\+|-|plus|minus) \w\b", text)[-1]
    return str(values[[word for word in re.findall(r"\w+", end) if word in values][-1]])


MONEY = r"(?:dollar|euro|pound|coin)s?"


def worth(clause: str, listed: dict[str, int]) -> tuple[int, bool]:
    """Return the money a clause is about, and whether it is of pieces of the goods."""
    if match := re.search(
        rf"(\d+) \w+ (?:from \w+ )?(?:at|for|that cost) (\d+) {MONEY} each", clause
    ):
        return int(match[1]) * int(match[2]), True
    if match := re.search(rf"(\d+) {MONEY}\b", clause):
        return int(match[1]), bool(re.search(r"\ban? ", clause))
    pieces, thing = re.search(r"(\d+) (?:more )?(\w+)", clause).groups()
    plurals = (thing, f"{thing}s", f"{thing}es", f"{thing[:-1]}ies", f"{thing[:-1]}ves")
    plurals = (*plurals, f"{thing[:-2]}ves", "geese", "mice", "cacti")
    return int(pieces) * next(listed[many] for many in plurals if many in listed), True


def solve_prices(text: str) -> str:
    """A basket's total where it starts empty, else the money one has."""
    listed: dict[str, int] = {}
    if match := re.search(
        rf"(?i)((?!that)\b\w+ cost \d+ {MONEY} each(?:, | and |\. ))+", in_digits(text)
    ):
        listed = {m.lower(): int(p) for m, p in re.findall(r"(\w+) cost (\d+)", match[0])}
        text = in_digits(text).replace(match[0], "")
    first, *rest = clauses(text)
    start = re.search(r"\d+", first)
    value, hero = int(start[0]) if start else 0, hero_of(first)
    for clause in rest:
        money, goods = worth(clause, listed)
        back = re.search(r"\bback\b|return|\bcoupon|\boff\b", clause)
        if not start:
            way = -1 if back else 1
        elif goods:
            sold = re.search(rf"\bsell|\bsold|from (him|her|me|{hero})\b", clause)
            way = 1 if sold or back else -1
        else:
            way = 1 if back else sign(clause, hero, "")
        value += way * money
        assert 0 <= value <= 99, clause
    return str(value)


SOLVERS = {
    "chain": solve_sum, "two_digit": solve_sum, "story": solve_story,
    "variables": solve_variables, "shuffled": solve_variables, "program": solve_program,
    "prices": solve_prices,
}  # fmt: skip
