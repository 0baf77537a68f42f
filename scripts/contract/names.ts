import type { Diagnostic } from '../support/diagnostics.js'
import type { Contract, Json } from './index.js'

export type NodePath = (string | number)[]

/** Where a path of the bundle is written. */
export type LocatePath = (path: NodePath) => Omit<Diagnostic, 'rule' | 'message'>

/**
 * What the contract names of the register and the register does not have, and lists of values that no entry decides.
 * Found before the generators and the compiler fail on it.
 */
export function nameProblems({ document, register, retired }: Contract, locate: LocatePath): Diagnostic[] {
  const entryOf = (id: string) => register.find((each) => each.id === id)
  const problems: Diagnostic[] = []
  const report = (path: NodePath, rule: string, message: string) => problems.push({ ...locate(path), rule, message })
  const checkIds = (path: NodePath, ids: unknown) => {
    for (const [index, id] of (Array.isArray(ids) ? ids : []).entries()) {
      const successors = retired.find((each) => each.id === id)?.replacedBy
      if (successors)
        report([...path, index], 'basis-known', `"${id}" is retired. Name what replaced it: ${successors.join(', ')}.`)
      else if (!entryOf(id))
        report(
          [...path, index],
          'basis-known',
          `"${id}" is not in openapi/basis.yaml. Name an id that is, or add the entry.`,
        )
    }
  }
  const checkValues = (path: NodePath, node: Json, around: string[]) => {
    const known: Json = node['x-known-values']
    const ids = [...around, ...Object.values<Json>(known ?? {}).flatMap((each) => each['x-basis'] ?? [])]
    const enumerating = [...new Set(ids)].filter((id) => entryOf(id)?.enumerates)
    if (enumerating.length > 1)
      report(
        path,
        'enumerates',
        `${enumerating.join(' and ')} both list these values. Leave "enumerates" to one of them.`,
      )
    if (!Array.isArray(node.enum)) return
    if (entryOf(enumerating[0] ?? '')?.kind !== 'stated')
      report(
        [...path, 'enum'],
        'enumerates',
        'This list is complete, and no stated entry says so. Give the entry "enumerates: true" and "enum" in its "keywords", and name it in x-basis; or write the values as x-known-values.',
      )
    if (known && [...node.enum].sort().join() !== Object.keys(known).sort().join())
      report(
        [...path, 'x-known-values'],
        'enumerates',
        'This list is complete, and x-known-values has other values. Give both the same.',
      )
  }
  const visit = (node: Json, path: NodePath, above: string[]): void => {
    if (typeof node !== 'object' || node === null) return
    const around: string[] = node['x-basis'] ?? above
    checkIds([...path, 'x-basis'], node['x-basis'])
    checkIds([...path, 'x-transitions-basis'], node['x-transitions-basis'])
    if (node['x-known-values'] || Array.isArray(node.enum)) checkValues(path, node, around)
    for (const [key, child] of Object.entries<Json>(node))
      if (!DATA.test(key)) visit(child, [...path, Array.isArray(node) ? Number(key) : key], around)
  }
  visit(document, [], [])
  return problems
}

/** Fields with data, whose members have names of their own. */
const DATA = /^(example|examples|default|const|enum|x-basis|x-transitions-basis|x-basis-register)$/
