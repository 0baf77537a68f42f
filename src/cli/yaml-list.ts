import { wrong } from '../conformance/options.js'
import { parseJson } from '../internal/json.js'

export type Fields = Record<string, unknown>

/**
 * Reads a list of flat entries, `- name: value` or `- { name: value, … }`, from YAML 1.2 or JSON. Every value is on
 * the line of its name. Any other YAML is refused, never misread. A package that reads
 * all of YAML would nearly double what an application installs.
 *
 * @throws ConformanceError which names the line
 */
export function parseYamlList(source: string): Fields[] {
  const all = source.replace(/^\ufeff/, '').split(/\r\n?|\n/)
  const lines = [...all.entries()].filter(([, line]) => !/^ *(#.*)?$/.test(line))
  const json = parseJson(lines.map(([, line]) => line).join('\n'))
  if (Array.isArray(json)) return json
  const list: Fields[] = []
  let dash = 0
  let indent = 0
  for (const [index, line] of lines[0]?.[1] === '---' ? lines.slice(1) : lines) {
    const item = /^( *)- +/.exec(line)
    if (item && (list.length === 0 || item[1]?.length === dash)) {
      dash = item[1]?.length ?? 0
      indent = item[0].length
      list.push({})
    } else if (list.length === 0) throw refused(index, 'does not start an entry')
    else if (line.search(/[^ ]/) !== indent) throw refused(index, 'is not indented like the other lines of its entry')
    const entry = list.at(-1) ?? {}
    if (line[indent] !== '{') readField(line.slice(indent), BLOCK, END, entry, index)
    else {
      let rest = line.slice(indent + 1)
      while (!rest.startsWith('}')) rest = readField(rest, FLOW, /^ *(, *|(?=\}))/, entry, index)
      if (!END.test(rest.slice(1))) throw refused(index, 'has unexpected text after its value')
      // The end of a flow mapping: no more may follow.
      indent = Number.POSITIVE_INFINITY
    }
  }
  return list
}

const refused = (index: number, what: string) =>
  wrong(`Line ${index + 1} ${what}. Write entries as a list of "name: value", for example - basis: S08.`)

/** An unquoted value begins with a letter, a digit or a slash; `inner` are characters that it may not contain. */
const fieldOf = (inner: string): RegExp => {
  const plain = `[\\p{L}\\p{N}/][^\\s${inner}]*(?: +[^\\s#${inner}][^\\s${inner}]*)*`
  return new RegExp(`^ *([A-Za-z]+): +("(?:[^"\\\\]|\\\\.)*"|'(?:[^']|'')*'|${plain})`, 'u')
}
const BLOCK = fieldOf('')
const FLOW = fieldOf(',{}[\\]')
/** Nothing, or a comment. */
const END = /^ *$|^ +#/

/** Reads one `name: value` into the entry. Returns what follows it. */
function readField(text: string, field: RegExp, end: RegExp, entry: Fields, index: number): string {
  const [all = '', name = '', value = ''] = field.exec(text) ?? []
  const rest = text.slice(all.length)
  if (name === '') throw refused(index, 'is not "name: value" with a text or a number; put other texts in quotes')
  if (Object.hasOwn(entry, name)) throw refused(index, `names ${name} a second time`)
  entry[name] = scalar(value, index)
  if (!end.test(rest)) throw refused(index, 'has unexpected text after its value')
  return rest.replace(end, '')
}

function scalar(text: string, index: number): string | number {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (text.startsWith('"')) {
    const value = parseJson(text)
    if (typeof value === 'string') return value
    throw refused(index, 'has an escape that JSON does not have')
  }
  if (/^\d+$/.test(text)) return Number(text)
  if (/:( |$)/.test(text)) throw refused(index, 'has a ": " in its value; put the value in quotes')
  if (/^(true|false|null)$/i.test(text) || !Number.isNaN(Number(text)))
    throw refused(index, 'has a value that is neither a text nor a whole number; put it in quotes')
  return text
}

/** Entries as YAML. A text in double quotes is JSON, which YAML reads alike. */
export function formatYamlList(entries: readonly object[]): string {
  const lines = entries.flatMap((entry) =>
    Object.entries(entry).map(([name, value], index) => `${index === 0 ? '-' : ' '} ${name}: ${formatValue(value)}`),
  )
  return lines.length > 0 ? `${lines.join('\n')}\n` : '[]\n'
}

const formatValue = (value: unknown): string =>
  /^([A-Z]\d+|[a-z]+[A-Z]\w*)$/.test(String(value)) ? String(value) : JSON.stringify(value)
