import type { BasisId } from '../../../../../generated/contract.js'
import type { ParameterNode } from '../../../../runtime/contract-nodes.js'

/**
 * Another text of the same form: each digit is replaced by one digit and each letter by one letter, which is hexadecimal. A
 * prefix stays, and so do the digits by which a UUID says what it is. RFC 9562, section 4.
 */
export function ofSameForm(id: string, digit: string, letter: string): string {
  const beginning = UUID.test(id) ? '' : (/^[A-Za-z\d]*[_-](?=.)/.exec(id)?.[0] ?? '')
  const prefix = /[A-Za-z]/.test(beginning) ? beginning : ''
  const isUuid = UUID.test(id.slice(prefix.length))
  return id.replaceAll(/[A-Za-z0-9]/g, (each, at: number) => {
    if (at < prefix.length || (isUuid && [14, 19].includes(at - prefix.length))) return each
    return each <= '9' ? digit : each <= 'Z' ? letter.toUpperCase() : letter
  })
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * An unused id of the same form as existing ones. Other digits may number something that was not seen: an id that must be of nothing
 * `forSure` has letters instead.
 */
export function unknownId({ example }: ParameterNode<BasisId>, known: readonly string[], forSure = false): string {
  const sample = known.at(-1) ?? String(example)
  const letter = 'x'
  let id = forSure && isNumbered(sample) ? ofSameForm(sample, letter, letter) : ofSameForm(sample, '0', 'a')
  while (id === sample || known.includes(id)) id += forSure ? letter : '0'
  return id
}

/** Whether an unused id of the same form differs by its digits alone, which may number what exists. */
export const isNumbered = (id: string): boolean => haveSameLetters(id, ofSameForm(id, '0', 'a'))

/** Whether two ids are the same but for their digits. */
export const haveSameLetters = (one: string, other: string): boolean =>
  one.replaceAll(/\d/g, '') === other.replaceAll(/\d/g, '')
