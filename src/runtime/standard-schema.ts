import { pointerTokens } from './json-pointer.js'
import { bodyProblems, type ValidateFunction } from './problems.js'

/** A schema as version 1 of Standard Schema has it. The value is not changed. See https://standardschema.dev. */
export interface StandardSchema<T> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: T; readonly output: T } | undefined
    readonly validate: (
      value: unknown,
    ) =>
      | { readonly value: T; readonly issues?: undefined }
      | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path: ReadonlyArray<string | number> }> }
  }
}

/** A check as a Standard Schema; an optional value may be undefined. */
export const standardSchema = <T>(check: ValidateFunction, required = true): StandardSchema<T> => ({
  '~standard': {
    version: 1,
    vendor: '@workflow-automation/contract',
    validate(value) {
      const problems = value === undefined && !required ? [] : bodyProblems(check, value)
      if (problems.length === 0) return { value: value as T }
      return { issues: problems.map(({ message, pointer }) => ({ message, path: pathOf(pointer, value) })) }
    },
  },
})

/** The tokens of a pointer; an index of an array is a number. */
function pathOf(pointer: string, value: unknown): (string | number)[] {
  let at = value
  return pointerTokens(pointer).map((token) => {
    const key = Array.isArray(at) ? Number(token) : token
    at = (at as Record<string | number, unknown> | undefined)?.[key]
    return key
  })
}
