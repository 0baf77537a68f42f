import type { BasisEntry, Json, Operation } from '../../contract/index.js'

/** A label that Redoc shows beside a heading or a field. */
export interface Badge {
  name: string
  color: string
  position?: 'before' | 'after'
}

/** What the contract says of an operation's behaviour, in a few words. */
export function operationBadges({ node, responses }: Operation): Badge[] {
  const retried = responses.filter(([, response]) => response['x-retryable'] === true).map(([status]) => status)
  const seconds = node['x-cache-seconds']
  return [
    node['x-quota'] === 'runs'
      ? { name: 'counts against the run quota', color: 'purple' }
      : { name: 'counts against the request rate', color: 'blue' },
    ...(seconds ? [{ name: `cached ${seconds} s`, color: 'green' }] : []),
    ...(retried.length > 0 ? [{ name: `retried on ${retried.join(', ')}`, color: 'grey' }] : []),
  ]
}

/** Marks the fields, parameters and headers that rest on nothing but assumptions. Changes the document. */
export function markAssumed(node: Json, register: BasisEntry[]): void {
  if (typeof node !== 'object' || node === null) return
  const ids: unknown = node['x-basis']
  const isField = 'type' in node || 'in' in node || 'schema' in node
  if (Array.isArray(ids) && isField && ids.every((id) => kindOf(register, id) === 'assumed'))
    node['x-badges'] = [{ name: 'assumed', color: 'orange' }] satisfies Badge[]
  for (const child of Object.values(node)) markAssumed(child, register)
}

const kindOf = (register: BasisEntry[], id: string) => register.find((entry) => entry.id === id)?.kind
