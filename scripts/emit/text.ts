import type { Json } from '../contract/index.js'

/** The first lines of every generated file. */
export const banner = (source = 'openapi/'): string =>
  `// Generated from ${source} by \`npm run build\`. Edit that, not this.\n\n`

/** A description as a JSDoc comment, indented. */
export function docComment(paragraphs: (string | false | undefined)[], indent = ''): string {
  const lines = paragraphs.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/').trimEnd().split('\n')
  return `${[`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')}\n`
}

/** TypeScript that `literal` inserts as it is. */
export class Source {
  constructor(readonly text: string) {}
}

/** A value as TypeScript source, its keys unquoted where they may be; `quote` writes its strings. */
export function literal(value: unknown, indent = '', quote: (text: string) => string = JSON.stringify): string {
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    if (value.every((item) => typeof item !== 'object'))
      return `[${value.map((item) => literal(item, '', quote)).join(', ')}]`
    return `[\n${value.map((item) => `${deeper}${literal(item, deeper, quote)},\n`).join('')}${indent}]`
  }
  if (value instanceof Source) return value.text
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined)
    if (entries.length === 0) return '{}'
    const lines = entries.map(([key, each]) => {
      const name = isName(key) ? key : quote(key)
      return `${deeper}${name}: ${literal(each, deeper, quote)},\n`
    })
    return `{\n${lines.join('')}${indent}}`
  }
  return typeof value === 'string' ? quote(value) : JSON.stringify(value)
}

/** Whether a key may stand in an object literal without quotation marks. */
export const isName = (key: string): boolean => /^([A-Za-z_$][\w$]*|[1-9]\d*|0)$/.test(key)

/** `RunStatus` and `run_status` as `runStatus`. */
export const camelCase = (name: string): string =>
  name.charAt(0).toLowerCase() + name.slice(1).replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** An object with its values changed; undefined remains undefined. */
export const mapValues = (object: Json, change: (value: Json, key: string) => Json): Json =>
  object && Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** A text as HTML, outside of attributes. */
export const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The settings of a page, which VitePress reads from its first lines. */
export const frontMatter = (settings: object): string =>
  `---\n${Object.entries(settings)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('\n')}\n---\n\n`
