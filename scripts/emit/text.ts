/** The first lines of every generated file. */
export const banner = (source = 'openapi/'): string =>
  `// Generated from ${source} by \`npm run build\`. Edit that, not this.\n\n`

/** A description as a JSDoc comment, indented. */
export function docComment(paragraphs: (string | false | undefined)[], indent = ''): string {
  const lines = paragraphs.filter(Boolean).join('\n\n').replaceAll('*/', '*\\/').trimEnd().split('\n')
  return `${[`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')}\n`
}

/** A part of a literal that is source already. */
export class Source {
  constructor(readonly code: string) {}
}

/** A value as TypeScript source, its keys unquoted where they may be. */
export function literal(value: unknown, indent = ''): string {
  if (value instanceof Source) return value.code
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    if (value.every((item) => typeof item !== 'object')) return `[${value.map((item) => literal(item)).join(', ')}]`
    return `[\n${value.map((item) => `${deeper}${literal(item, deeper)},\n`).join('')}${indent}]`
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined)
    if (entries.length === 0) return '{}'
    return `{\n${entries.map(([key, each]) => `${deeper}${propertyName(key)}: ${literal(each, deeper)},\n`).join('')}${indent}}`
  }
  return JSON.stringify(value)
}

/** A key as it may stand in an object literal. */
export const propertyName = (key: string): string =>
  /^([A-Za-z_$][\w$]*|[1-9]\d*|0)$/.test(key) ? key : JSON.stringify(key)

/** `RunStatus` and `run_status` as `runStatus`. */
export const camelCase = (name: string): string =>
  name.charAt(0).toLowerCase() + name.slice(1).replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** The names that occur as words in the text. */
export const usedNames = (names: string[], text: string): string[] =>
  names.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
