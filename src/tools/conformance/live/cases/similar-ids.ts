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

/** An unused id of the same form as existing ones. */
export function unknownId({ example }: ParameterNode<BasisId>, known: readonly string[]): string {
  const sample = known.at(-1) ?? String(example)
  let id = ofSameForm(sample, '0', 'a')
  while (id === sample || known.includes(id)) id += '0'
  return id
}
