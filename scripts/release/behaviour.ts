import { isDeepStrictEqual } from 'node:util'
import { toPointer } from '../../src/runtime/json-pointer.js'
import type { Json } from '../contract/index.js'
import { type Change, type Impact, sideOf, subjectOf } from './change.js'

/** Changes of the behaviour fields below a node that both documents have; `redocly diff` does not compare them. */
export function behaviourChanges(before: Json, after: Json, path: string[] = []): Change[] {
  if (typeof before !== 'object' || typeof after !== 'object' || !before || !after) return []
  return Object.keys(before).flatMap((key) => {
    const rate = BEHAVIOUR[key]
    if (!rate) return behaviourChanges(before[key], after[key], [...path, key])
    const subject = path[0] === 'components' ? path.slice(-1).join() : subjectOf(path)
    return Object.keys({ ...before[key], ...after[key] }).flatMap((name) => {
      const was = before[key][name]
      const is = after[key]?.[name]
      const meaning =
        key === 'x-plans' && !is ? `: code that names it, such as \`plan: '${name}'\`, no longer compiles` : ''
      const text = `${was ? (is ? 'modified' : 'removed') : 'added'} ${key} · ${name}${meaning}`
      return isDeepStrictEqual(withoutProse(was), withoutProse(is))
        ? []
        : [{ impact: rate(was, is), subject, text, side: sideOf(toPointer(path)) }]
    })
  })
}

/** A change of one member of a behaviour field; undefined stands for a member that is not there. */
const BEHAVIOUR: Record<string, (before: Json, after: Json) => Impact> = {
  'x-plans': (before, after) => {
    const lowered = ['requestsPerMinute', 'burst'].some((limit) => (after?.[limit] ?? 0) < (before?.[limit] ?? 0))
    return before && (!after || lowered || (before.apiAccess && !after.apiAccess)) ? 'major' : 'minor'
  },
  // Code that waits for a value that is no longer sent never ends.
  'x-known-values': (before, after) => (before && !after ? 'major' : 'minor'),
  'x-transitions': (before, after) => (before && before.terminal !== after?.terminal ? 'major' : 'minor'),
}

const withoutProse = (member: Json): Json => member && { ...member, description: '', 'x-basis': [] }
