/** The rule of an option. */
export interface OptionRule {
  readonly accepts: (value: unknown) => boolean
  /** The end of the sentence `<name> must be …`. */
  readonly expected: string
}

export const rule = (accepts: OptionRule['accepts'], expected: string): OptionRule => ({ accepts, expected })

/** A rule for each option of an interface. */
export type OptionRules<Options> = { readonly [Name in keyof Required<Options>]: OptionRule }

/**
 * The problems of options; undefined options are ignored. `prefix` is the name of the option that contains them, and
 * `others` says after the names of the options where to set others.
 */
export function optionProblems(
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  prefix = '',
  others = '',
): string[] {
  if (!isObject(options)) return ['the options must be an object']
  return Object.entries(options as object).flatMap(([name, value]): string | string[] => {
    if (value === undefined) return []
    if (!Object.hasOwn(rules, name))
      return `unknown option "${prefix}${name}"; expected one of: ${Object.keys(rules).join(', ')}${others}`
    const { accepts, expected } = rules[name] as OptionRule
    return accepts(value) ? [] : `${prefix}${name} must be ${expected}`
  })
}

/** The problems of options that are missing. */
export const missingOptions = <Options>(
  options: Options,
  rules: OptionRules<Options>,
  names: readonly (keyof Options & string)[],
): string[] =>
  names.filter((name) => options[name] === undefined).map((name) => `${name} must be ${rules[name].expected}`)

/** A value in a sentence, as messages show it. */
export const shown = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : isObject(value)
      ? 'an object'
      : `${String(value)}${typeof value === 'bigint' ? 'n' : ''}`

/** @throws TypeError that lists all problems; `subject` begins the sentence */
export function throwIfProblems(subject: string, problems: readonly (string | false)[]): void {
  const all = problems.filter((each) => each !== false)
  if (all.length > 0) throw new TypeError(`${subject}: ${all.join('; ')}.`)
}

/** Whether it is an object with options: not a list, a date or a map. An AbortController has the option `signal`, as with `fetch`. */
const isObject = (value: unknown): boolean =>
  /^\[object (?:Object|Module|AbortController)\]$/.test(Object.prototype.toString.call(value))
const isFunction = (value: unknown): boolean => typeof value === 'function'

export const integer = (from: number, to?: number): OptionRule =>
  rule(
    (value) => Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= (to ?? Number.MAX_SAFE_INTEGER),
    to === undefined ? `an integer >= ${from}` : `an integer from ${from} to ${to}`,
  )

export const oneOf = (...values: unknown[]): OptionRule =>
  rule(
    (value) => values.includes(value),
    values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' or '),
  )

export const TRUE_OR_FALSE: OptionRule = oneOf(true, false)
export const FUNCTION: OptionRule = rule(isFunction, 'a function')
export const OBJECT: OptionRule = rule(isObject, 'an object')

/** The options, with defaults for those that are undefined. */
export const withDefaults = <Options extends object, Name extends keyof Options>(
  defaults: { readonly [name in Name]: Options[name] },
  options: Options,
): Options & { [name in Name]-?: NonNullable<Options[name]> } => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(given) } as never
}
