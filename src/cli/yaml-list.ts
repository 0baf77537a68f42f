import { parseJson } from '../internal/json.js'

/** A value of an entry, or an entry. */
export type Scalar = string | number
export type Fields = Record<string, Scalar>

/** A line that cannot be read. `message` says which and what to write. */
export class YamlListError extends Error {
  override name = 'YamlListError'
}

/**
 * Reads a list of flat entries from YAML 1.2: block or flow entries, plain, quoted, folded and literal texts, comments.
 * What else YAML has, such as anchors, tags and nested values, is refused and never read as something else. A package that
 * reads all of YAML would nearly double what an application installs.
 */
export function parseYamlList(source: string): Fields[] {
  const text = source.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  const json = parseJson(text)
  if (Array.isArray(json)) return json
  const lines = text.split('\n')
  const list: Fields[] = []
  let entry: Fields | undefined
  let indent = 0
  let start = -1
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (/^\s*(#.*)?$/.test(line) || (list.length === 0 && entry === undefined && /^(---|\[\s*\])\s*(#.*)?$/.test(line)))
      continue
    const item = /^( *)-( +|$)(.*)$/.exec(line)
    let rest = line
    if (item && (start === -1 || item[1]?.length === start)) {
      start = item[1]?.length ?? 0
      entry = {}
      list.push(entry)
      indent = -1
      rest = `${item[1]} ${item[2]}${item[3]}`
      if (/^\s*(#.*)?$/.test(rest)) continue
    }
    if (!entry) throw at_(at, 'starts no entry. Begin each entry with "- "')
    const flow = /^\s*\{(.*)\}\s*(?:\s#.*)?$/.exec(rest)
    if (flow && indent === -1) {
      readFlow(flow[1] ?? '', entry, at)
      indent = Number.POSITIVE_INFINITY
      continue
    }
    const own = rest.search(/\S/)
    if (indent === -1) indent = own
    if (own !== indent || own <= start) throw at_(at, 'is indented otherwise than the lines of its entry')
    at = readField(rest, lines, at, indent, entry)
  }
  return list
}

const at_ = (line: number, what: string) =>
  new YamlListError(`Line ${line + 1} ${what}. Write entries as a list of "name: value", for example - basis: S08.`)

/** Reads one `name: value` and the lines that go on with it. Returns the last line that was read. */
function readField(line: string, lines: readonly string[], at: number, indent: number, entry: Fields): number {
  const match = /^\s*([A-Za-z_]\w*|"\w+"|'\w+')\s*:(?:\s+(.*))?$/.exec(line)
  if (!match) throw at_(at, 'is no "name: value"')
  const name = (match[1] ?? '').replaceAll(/["']/g, '')
  if (Object.hasOwn(entry, name) || name === '__proto__') throw at_(at, `names ${name} a second time`)
  const block = /^([|>])(-?)(?:\s+#.*)?\s*$/.exec(match[2] ?? '')
  let last = at
  const more: string[] = []
  const isBlank = (text: string | undefined) => /^\s*$/.test(text ?? '')
  while (last + 1 < lines.length && (isBlank(lines[last + 1]) || (lines[last + 1] ?? '').search(/\S/) > indent))
    more.push(lines[++last] ?? '')
  while (more.length > 0 && isBlank(more.at(-1))) {
    more.pop()
    last--
  }
  if (block) entry[name] = blockText(more, block[1] === '>', block[2] === '-', at)
  else {
    if (more.some((each) => isBlank(each) || /^\s*#/.test(each)))
      throw at_(at, 'goes on after an empty line or a comment')
    const [value, rest] = scalar([match[2] ?? '', ...more.map((each) => each.trim())].join(' ').trim(), false, at)
    if (rest !== '' && !/^\s+#/.test(rest)) throw at_(at, 'has something after its value')
    entry[name] = value
  }
  return last
}

/** Folded or literal. YAML 1.2, section 8.1; more indented lines of a folded text are refused. */
function blockText(lines: readonly string[], folded: boolean, strip: boolean, at: number): string {
  if ((lines[0] ?? '').trim() === '') throw at_(at, 'has a text that begins with an empty line')
  const indent = (lines[0] ?? '').search(/\S/)
  if (lines.some((line) => line.trim() !== '' && line.search(/\S/) < indent))
    throw at_(at, 'has a text that is indented unevenly')
  const own = lines.map((line) => line.slice(indent))
  if (folded && own.some((line) => /^\s/.test(line)))
    throw at_(at, 'folds lines that are indented further; use | instead of >')
  const text = folded
    ? own.join('\n').replaceAll(/(\n+)/g, (breaks) => (breaks.length === 1 ? ' ' : breaks.slice(1)))
    : own.join('\n')
  return strip ? text : `${text}\n`
}

/** `name: value, name: value`, as within braces. */
function readFlow(text: string, entry: Fields, at: number): void {
  let rest = text.trim()
  while (rest !== '') {
    const match = /^([A-Za-z_]\w*|"\w+"|'\w+')\s*:\s+/.exec(rest) ?? /^("\w+")\s*:\s*/.exec(rest)
    if (!match) throw at_(at, 'is no "{ name: value, … }"')
    const name = (match[1] ?? '').replaceAll(/["']/g, '')
    if (Object.hasOwn(entry, name) || name === '__proto__') throw at_(at, `names ${name} a second time`)
    const [value, after] = scalar(rest.slice(match[0].length), true, at)
    entry[name] = value
    const next = after.trim()
    if (next !== '' && !next.startsWith(',')) throw at_(at, 'has no comma between two values')
    rest = next.slice(1).trim()
  }
}

/** A value and what follows it. */
function scalar(text: string, inFlow: boolean, at: number): [Scalar, string] {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(text)
  if (quoted) {
    const after = text.slice(quoted[0].length)
    if (quoted[2] !== undefined) return [quoted[2].replaceAll("''", "'"), after]
    const value = parseJson(quoted[0])
    if (typeof value !== 'string') throw at_(at, 'has an escape that JSON does not have')
    return [value, after]
  }
  if (text === '' || /^[[\]{}&*!|>'"%@`#,?-](?!\w)|^[[\]{}&*!|>'"%@`#,]/.test(text))
    throw at_(at, 'has no value, or one that is neither a text nor a number')
  const end = inFlow ? text.search(/,|\s#|[{}[\]]/) : text.search(/\s#/)
  const plain = (end === -1 ? text : text.slice(0, end)).trim()
  const after = end === -1 ? '' : text.slice(end)
  if (/:(\s|$)/.test(plain)) throw at_(at, 'has a ": " in its value; put the value in quotes')
  if (/^(true|false|null|~|[-+]?(\d*\.\d+|\d+\.|\d+e\d+|0[xo]\w+|\.inf)|\.nan)$/i.test(plain))
    throw at_(at, 'has a value that is neither a text nor a whole number; put it in quotes')
  return [/^[-+]?\d+$/.test(plain) ? Number(plain) : plain, after]
}

/** Entries as YAML. A text in double quotes is JSON, which YAML reads alike. */
export const formatYamlList = (entries: readonly object[]): string =>
  entries.length === 0
    ? '[]\n'
    : entries
        .map((entry) =>
          Object.entries(entry)
            .map(([name, value], index) => `${index === 0 ? '-' : ' '} ${name}: ${formatScalar(value)}\n`)
            .join(''),
        )
        .join('')

const formatScalar = (value: unknown): string =>
  typeof value === 'string' && /^[A-Za-z/][\w/]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value)
