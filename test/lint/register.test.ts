import { expect, it } from 'vitest'
import { registerProblems } from '../../scripts/contract/register.js'

const entry = (id: string, kind: 'stated' | 'assumed') => ({ id, kind, section: 2, text: 'A fact.' })
const problems = (added: object) =>
  registerProblems([entry('S07', 'stated'), { ...entry('A41', 'assumed'), replacedBy: ['S07'] }, added], () => ({
    file: 'openapi/basis.yaml',
  })).map(({ message }) => message)

it('an entry without an id is told the next free one of its kind; that of a retired entry is not free', () => {
  const { id, ...added } = entry('', 'assumed')
  expect(problems(added)).toEqual(['This entry has no id. The next free one is A42.'])
  expect(problems({ ...added, kind: 'stated' })).toEqual(['This entry has no id. The next free one is S08.'])
  const { kind, ...unknown } = added
  expect(problems(unknown).join(' ')).toContain('The next free one is S08, O01, D01, A42.')
})
