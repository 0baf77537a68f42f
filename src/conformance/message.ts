/** A value of an exchange or of the caller in a message. It is masked when the message is printed. */
export interface Quoted {
  readonly quoted: unknown
  /** Whether it stands without quotation marks. */
  readonly bare?: boolean
}

/** A sentence whose values are still data, so that masking reaches them and nothing else. */
export type Message = string | readonly (string | Quoted)[]

/** A value as JSON, on one line and not too long. */
export const quote = (value: unknown): Quoted => ({ quoted: value })

/** A text of the service or of the caller as it is. */
export const bare = (value: string): Quoted => ({ quoted: value, bare: true })

/** A template whose values may be messages. */
export function text(strings: TemplateStringsArray, ...values: readonly (Message | Quoted | number)[]): Message {
  return strings.flatMap((string, index) => {
    const value = values[index]
    if (value === undefined) return [string]
    if (typeof value === 'object') return [string, ...('quoted' in value ? [value] : value)]
    return [string, String(value)]
  })
}

/** The parts of a message one after the other, with a capital at the start. */
export function capitalized(message: Message): Message {
  const [first, ...rest] = typeof message === 'string' ? [message] : message
  return typeof first === 'string' && first !== '' ? [`${first[0]?.toUpperCase()}${first.slice(1)}`, ...rest] : message
}

/** `1 run`, `2 runs`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Milliseconds as seconds. */
export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
