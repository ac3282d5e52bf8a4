"""Solves serial questions about numbers from their English alone, by other code than makes them."""

from __future__ import annotations

import re
from collections.abc import Callable

from equation_solver import NO_NUMBERS, solve_program, solve_variables

NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
BREAKS = r"[.;:?!\n]| and then |, then |, and |, | and | then "
GIVES = r"\b(?:giv|gave|hands?\b|handed|send|sent|lends?\b|lent\b|pay|paid|sell|sold)"
LESS = (
    r"(?i)\b(?:minus|less\b|subtract|take|took|taken|down|off|decrease|fall|fell|drop|colder"
    r"|lose|lost|throw|threw|leave|run|walk|disappear|spend|spent|sold|fewer|younger|pay|paid"
    r"|steps?\b|reduce|deduct|remove|lower|smaller|sink|shrink)"
)
MORE = (
    r"(?i)\b(?:plus|add|up|on top|put on|puts in|put in|into|increase|rise|grow|warm|climb|find"
    r"|found|win|won|collect|pick|receive|get|gets|got|come|join|arrive|board|earn|save|buy|bought"
    r"|more|borrow|raise|bigger|larger|higher|gain|advance|count on|ahead)"
)

TOLD_BREAKS = r"[.;:?!\n]| and then |, then |, and | and | then "
EMPTY = (
    r"[Ss]hopping|to the (?:shop|market|supermarket|store)|an empty (?:basket|cart)|into the shop"
    r"|nothing in the basket|visit(?:s|ed)? the shop|basket (?:is|was) empty|trip to the"
    r"|stop(?:s|ped)? at the shop|some things|(?:takes?|took) a basket"
)
# Clauses whose sign is read before that of their single words; @ is the hero.
CLEAR = (
    (r"\b(?i:for) the \w+ @ pa(?:y|ys|id)\b", -1),
    (r"\b(?:sells?|sold) @ the\b|\bby @", -1),
    (r"\b(?:buys?|bought) the \w+ from @|\bselling the\b|\b(?:sells?|sold) the\b", 1),
    (r"\b(?:buys?|bought|orders?|ordered) the\b|\bto buy the\b|\bcosts?\b|\bcharged\b", -1),
    (r"\bfrom @", -1),
    (r"\b(?i:to) @|\b(?:gives?|gave|hands?|handed|sends?|sent|sells?|sold|lends?|lent) @ \d", 1),
    (r"\b(?:pass|passes|passed|brings?|brought|leaves?|left|buys?|bought|pays?|paid) @ \d", 1),
    (r"\b(?i:to) (?!I )[A-Z]|\brobbed\b|\b(?:get|gets|got) (?:lost|stolen|sold|spent|rid)\b", -1),
    (r"\b(?:is|am|was) (?:given|handed|sent|paid)\b|\b(?:takes?|took) home\b", 1),
    (r"\b(?:lets?|brings?|brought) [A-Z]|\d.* (?:end|ends|ended) up with [A-Z]", -1),
    (r"\bstolen\b|\baway\b|\bremove|\bmisplace|\bdonate|\bpart(?:s|ed)? with\b", -1),
    (r"\bpresent(?:s|ed)? [A-Z]\w+ with\b|\bwaste|\bshrinks\b|\bgone\b|\bsinks\b", -1),
    (r"\bhand(?:s|ed)? over\b|\bends? the ride\b", -1),
    (r"\b(?:sells?|sold) \d|\bto sell \d|\bto give\b|\breturn|\bleft \d", -1),
    (r"\bout to buy\b|\bshow|\bappear|\bgain|\bacquire|\bobtain|\bpurchase|\baccept", 1),
    (r"\bout\b|\blower\b|\bdown|\bcooler\b|\b[Ll]et off\b|\bdrops off \d+ (?:people|person)\b", -1),
    (r"\bon board\b|\baboard\b|\blet on\b|\btakes on\b|\benters?\b|\bseat\b|\bdeliver", 1),
    (r"\bstores \d|\bup\b|\bupwards\b|\bhigher\b|\bhotter\b|\bma(?:ke|kes|de) \d", 1),
    (r"\bbrings?\b|\bbrought\b|\bdrops off\b|\bputs \d+ \w+ in$", 1),
)  # fmt: skip


def in_digits(text: str) -> str:
    """Return the text with its number words as digits."""
    text = re.sub(NO_NUMBERS, "", text)
    return re.sub(
        rf"(?i)\b({'|'.join(NUMBERS)})\b", lambda m: str(NUMBERS.index(m[1].lower())), text
    )


def clauses(text: str, breaks: str = BREAKS) -> list[str]:
    """Return the parts of the text that hold a number or say of an empty basket."""
    parts = (part.strip() for part in re.split(breaks, in_digits(text)))
    parts = (re.sub(r"^[Tt]hen ", "", part) for part in parts)
    return [part for part in parts if re.search(rf"\d|{EMPTY}", part)]


def solve_sum(text: str) -> str:
    """A sum with signs, or one that is told."""
    if signed := re.search(r"\d+( ?[-+] ?\d+)+", text):
        return str(sum(int(term) for term in re.findall(r"[-+]?\d+", signed[0].replace(" ", ""))))
    sign_ = "plus|minus|take away|add|subtract|less"
    spoken = re.search(rf"\d+(?:,? (?:{sign_}) \d+)+", in_digits(text))
    if spoken and not re.search(r"\d", in_digits(text).replace(spoken[0], "")):
        terms = re.findall(rf"({sign_})? ?(\d+)", spoken[0])
        return str(sum(int(d) if sign in ("", "plus", "add") else -int(d) for sign, d in terms))
    return solve_story(text, sign, BREAKS)


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
        sells_for_money = re.search(r"\bs[eo]l[ld]", clause) and thing in ("dollars", "dollar")
        return 1 if by_other or sells_for_money else -1
    if re.search(r"\b(buy|buys|bought) the ", clause):
        return -1  # with money
    if re.search(LESS, clause):
        return -1
    assert re.search(MORE, clause), clause
    return 1


def told_sign(clause: str, hero: str, thing: str) -> int:
    """Return whether the clause of a story is of more or of less."""
    for pattern, way in CLEAR:
        if re.search(pattern.replace("@", rf"(?:him|her|me|{hero})\b"), clause):
            return way
    if re.search(rf"^(?!{hero}\b|I\b|He\b|She\b)[A-Z]\w+ buys \d+ (?!more)", clause):
        return -1
    return sign(clause, hero, thing)


def solve_story(
    text: str,
    read: Callable[[str, str, str], int] = told_sign,
    breaks: str = TOLD_BREAKS,
) -> str:
    """A number that goes up and down, clause by clause."""
    first, *rest = clauses(text, breaks)
    value = int(re.search(r"\d+", first)[0])
    hero = hero_of(first)
    thing = (re.search(r"\d+ (\w+)", first) or ["", ""])[1]
    for clause in rest:
        value += read(clause, hero, thing) * int(re.search(r"\d+", clause)[0])
        assert 0 <= value <= 99, clause
    return str(value)


MONEY = r"(?:dollar|euro|pound|coin)s?"

PRICE = (  # of one thing in a list
    rf"(?:(?:for an? (?P<one>\w+)(?: you pay)? (?P<asked>\d+) {MONEY})"
    rf"|(?:(?P<cost>\d+) {MONEY} (?:for|is the price of|that of) an? (?P<other>\w+))"
    r"|(?:(?:the price of |that of )?(?:each |an? )?(?P<thing>\w+)"
    r"(?: costs?| is| are| sells for| go for| are sold at| at| for)?"
    rf" (?P<price>\d+) {MONEY}(?: each| apiece)?))"
)
BACK = (
    r"\bback\b|\breturn|\bcoupon|\bvoucher|\bdiscount|\boff\b|\bremove|\bagainst\b"
    r"|\bout of the basket|\bcancel|\brefund|\brid of\b|\bbill (?:is|was|drop)"
)
SOLD = (
    rf"\bsell|\bsold\b|\b(?:gets?|got) \d+ {MONEY}|\b(?:is|am|was) paid\b|\blets? [A-Z]|\bearn"
    r"|\bparts? with\b|\bparted with\b|\b(?:goes|went) to [A-Z]"
)


def same_thing(one: str, other: str) -> bool:
    """Return whether two words are the same, or one the plural of the other."""
    irregular = {"goose": "geese", "mouse": "mice", "cactus": "cacti"}
    return one == other or any(
        many in (f"{a}s", f"{a}es", f"{a[:-1]}ies", re.sub("fe?$", "ves", a), irregular.get(a))
        for a, many in ((one, other), (other, one))
    )


def worth(clause: str, listed: dict[str, int]) -> tuple[int, bool]:
    """Return the money a clause is about, and whether it is of pieces of the goods."""
    if len(numbers := re.findall(r"\d+", clause)) == 2:
        assert re.search(rf"{MONEY} (?:each|apiece|a piece|per piece)\b", clause), clause
        return int(numbers[0]) * int(numbers[1]), True
    if match := re.search(rf"(\d+) (?:more )?{MONEY}\b", clause):
        return int(match[1]), bool(re.search(r"\b[Aa]n? ", clause))
    pieces, thing = re.search(r"(\d+) (?:more )?(\w+)", clause).groups()
    return int(pieces) * next(listed[name] for name in listed if same_thing(name, thing)), True


def solve_prices(text: str) -> str:
    """A basket's total where it starts empty, else the money one has."""
    listed: dict[str, int] = {}
    text = in_digits(text)
    match = re.search(rf"(?i)(?:{PRICE}(?:, | and |; |\. )){{2,}}", text)
    before = text[: match.start()] if match else ""
    opening = re.split(r"[.:!?] ?", before)[-1].strip()
    opens = r"(?i)(?:dear helper, ?)?(?:the shop (?:sells|has|asks)|you pay)?"
    if match and re.fullmatch(opens, opening) and not re.search(rf"\d|{EMPTY}", before):
        for part in re.split(r", | and |; |\. ", match[0])[:-1]:
            one = re.fullmatch(rf"(?i){PRICE}", part)
            thing = one["thing"] or one["other"] or one["one"]
            listed[thing.lower()] = int(one["price"] or one["cost"] or one["asked"])
        text = text[match.end() :]
    first, *rest = clauses(text, TOLD_BREAKS)
    start = re.search(r"\d+", first)
    value, hero = int(start[0]) if start else 0, hero_of(first)
    for clause in rest:
        money, goods = worth(clause, listed)
        back = re.search(BACK, clause)
        if not start:
            way = -1 if back else 1
        elif goods:
            me = rf"(?:him|her|me|{hero})\b"
            bought = re.search(rf"\b(?:sells?|sold) {me}|\b(?:is|am|was) sold\b", clause)
            sold = re.search(rf"{SOLD}|\b(?:from|pays|paid|brings|brought) {me}", clause)
            way = 1 if back or (sold and not bought) else -1
        else:
            way = 1 if back else told_sign(clause, hero, "")
        value += way * money
        assert 0 <= value <= 99, clause
    return str(value)


SOLVERS = {
    "chain": solve_sum, "two_digit": solve_sum, "story": solve_story,
    "variables": solve_variables, "shuffled": solve_variables, "program": solve_program,
    "prices": solve_prices,
}  # fmt: skip
