# SPDX-License-Identifier: Apache-2.0
"""Reads C++ without a compiler, for checks of how code is written."""
import re

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)


def without_texts(code):
    """Returns the code with blanks for comments and directives, and underscores for literals. Every character
    keeps its place."""
    def blank(match, filler):
        return re.sub(r"[^\n]", filler, match.group(0))

    code = TOKEN.sub(lambda m: blank(m, " " if m.group(0).startswith(("//", "/*")) else "_"), code)
    return DIRECTIVE.sub(lambda m: blank(m, " "), code)


def functions(code):
    """Yields (line, lines) of each function with a body. `code` is the result of without_texts()."""
    open_braces = []  # (is a function, line)
    for brace in re.finditer(r"[{}]", code):
        if brace.group(0) == "}":
            if open_braces:
                is_function, line = open_braces.pop()
                last = code.count("\n", 0, brace.start()) + 1
                if is_function and not any(outer for outer, _ in open_braces):
                    yield line, last - line + 1
            continue
        before = re.split(r"[;{}]", code[max(0, brace.start() - 400):brace.start()])[-1]
        is_function = re.search(r"\)\s*(const|noexcept|override|mutable|->\s*[\w:<>,*& ]+|\s)*$", before)
        is_scope = re.search(r"\b(namespace|class|struct|enum|union)\b", before)
        is_statement = re.match(r"\s*(?:else\s+)?(if|for|while|switch|catch)\b", before)
        open_braces.append((bool(is_function and not is_scope and not is_statement),
                            code.count("\n", 0, brace.start()) + 1))


SPECIFIER = (
    r"(?:static|const|constexpr|volatile|mutable|inline|thread_local|typename|struct|unsigned|long|short|"
    r"extern)")
DECLARATION = re.compile(rf"^(?:{SPECIFIER}\s+)*[A-Za-z_][\w:]*\s*(?:<[^;=]*?>(?:::\w+)*)?(?:\s+const)?\s*"
                         rf"[&*]*(?:\s+[&*]*\s*|(?<=[&*])\s*)(?:const\s+)?\w+\s*(?:=|,|;|\{{|\[|\(|:)", re.S)
NO_EXPRESSION = re.compile(
    r"^(?:using|typedef|template|namespace|friend|public|private|protected|goto|break|class|"
                           r"struct|enum|:|~|(?:const\s+)?auto\s*&{0,2}\s*\[)")
LABEL = re.compile(r"^(?:else|do|default\s*:|case\b[^;{}?]*?:(?!:))\s*")
CONDITION = re.compile(r"^(?:else\s+)?(?:if\s*(?:constexpr)?|for|while|switch)\s*\(")


def statements(code):
    """Yields (begin, end, commas) of each statement that ends with ';', with the places of the commas that
    are in no brackets."""
    blocks = [[0, [], 0]]  # begin of the statement, its commas, open brackets
    for i, c in enumerate(code):
        block = blocks[-1]
        if c in "([":
            block[2] += 1
        elif c in ")]":
            block[2] -= 1
        elif c == "{":
            blocks.append([i + 1, [], 0])
        elif c == "}":
            if len(blocks) > 1:
                blocks.pop()
            rest = code[i + 1:i + 200].lstrip()
            if blocks[-1][2] == 0 and rest[:1] not in set(",;).[(?-+*/=<>|&:"):  # no expression goes on
                blocks[-1][0], blocks[-1][1] = i + 1, []
        elif block[2] == 0 and c == ";":
            yield block[0], i, block[1]
            block[0], block[1] = i + 1, []
        elif block[2] == 0 and c == ",":
            block[1].append(i)


def without_heads(code, begin, end):
    """Returns where the statement begins after `if (...)`, `else`, `case x:` and the like."""
    while True:
        text = code[begin:end]
        begin += len(text) - len(text.lstrip())
        label, condition = LABEL.match(code[begin:end]), CONDITION.match(code[begin:end])
        if label:
            begin += label.end()
        elif condition:
            begin += condition.end()
            depth = 1
            while begin < end and depth:
                depth += {"(": 1, ")": -1}.get(code[begin], 0)
                begin += 1
        else:
            return begin


def joined_statements(code):
    """Yields the line of each statement that joins several by commas: `a = 1, b = 2;`."""
    for begin, end, commas in statements(code):
        begin = without_heads(code, begin, end) if commas else end
        text = code[begin:end]
        returns = re.match(r"(return|throw|delete)\b", text)
        if not text or NO_EXPRESSION.match(text) or (DECLARATION.match(text) and not returns):
            continue
        for comma in commas:
            before = code[begin:comma]
            in_template = len(re.findall(r"\w<(?![=<])", before)) > len(re.findall(r"(?<![-=])>(?!=)",
                    before))
            if comma > begin and not in_template:
                yield code.count("\n", 0, begin) + 1
                break
