import { expect, it } from 'vitest'
import { detect, entriesOf } from '../../conformance/detection.js'
import { fromSpecificationBroken } from '../../conformance/services/from-specification/broken.js'

it.each([
  ['an address with a slash at its end needs no key', 'S24'],
  ['each third trigger gets 500, and the same request 409 ever after', 'S28'],
  ['a run without inputs is accepted and lost', 'S19'],
  ['a run with an input that is not ASCII is accepted and lost', 'S19'],
])('verify fails a service where %s', async (name, entry) => {
  const service = fromSpecificationBroken.find((each) => each.name === name)
  expect(entriesOf(await detect(service!, 'normal'), 'fail')).toContain(entry)
})
