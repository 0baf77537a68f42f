import { InvalidArgumentError } from 'commander'
import { messageOf } from './exit.js'

/** Parses an integer within a range. */
export const integerArgument = (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  parser(
    (text, value) => /^\d+$/.test(text) && value >= least && value <= most,
    most === Number.MAX_SAFE_INTEGER ? `an integer >= ${least}` : `an integer from ${least} to ${most}`,
  )

export const port = integerArgument(0, 65_535)

/** Parses a number, also one with decimals, within a range. */
export const numberWithin = (least: number, most: number) =>
  parser((_, value) => value >= least && value <= most, `a number from ${least} to ${most}`)

/** Parses a number above 0, such as one of seconds. */
export const positive = (what = 'a number') =>
  parser((_, value) => value > 0 && Number.isFinite(value), `${what} above 0`)

function parser(accepts: (text: string, value: number) => boolean, expected: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && accepts(text, value)) return value
    throw new InvalidArgumentError(`It must be ${expected}.`)
  }
}

/** A time such as `90s`, `15m` or `2h`, in ms. A bare number is seconds. */
export function duration(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text) ?? []
  const ms = Number(number) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as 's' | 'm' | 'h']
  if (ms >= 1) return ms
  throw new InvalidArgumentError('It must be a time above 0, such as 90s, 15m or 2h.')
}

/** Collects the values of an option that may be repeated. */
export const repeated = (value: string, all: readonly string[] = []): string[] => [...all, value]

/** Explains why a server cannot listen and what to do; other errors keep their message. */
export function listenProblem(error: unknown, { port, host }: { port: number; host: string }): string {
  const other = 'Choose another with --port, or 0 for any free port.'
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. ${other}`,
    EACCES: `Port ${port} is not allowed for this user. ${other}`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Omit --host to use 127.0.0.1.`,
    ENOTFOUND: `There is no host "${host}". Omit --host to use 127.0.0.1.`,
    EAI_AGAIN: `The host "${host}" could not be resolved. Omit --host to use 127.0.0.1.`,
  }
  return sentences[(error as { code?: string }).code ?? ''] ?? messageOf(error)
}
