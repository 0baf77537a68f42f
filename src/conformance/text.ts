/** A value as a message shows it, on one line and not too long. */
export function quote(value: unknown): string {
  const short = typeof value === 'string' ? value.slice(0, SHOWN) : value
  const text = (JSON.stringify(short) ?? 'nothing').replaceAll(/\s+/g, ' ')
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

const SHOWN = 80

/** `1 run`, `2 runs`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Milliseconds as seconds. */
export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
