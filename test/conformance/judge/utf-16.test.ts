import { expect, it } from 'vitest'
import { success, tryService } from '../service.js'

it.each([
  ['with a byte order mark', '\ufeff'],
  ['without one', ''],
])('a finding names the encoding of a body in UTF-16 %s, and shows no bytes of it as text', async (_, mark) => {
  const report = await tryService(
    success(/^\/providers$/, (it) => {
      it.text = new Uint8Array(Buffer.from(mark + JSON.stringify(it.body), 'utf16le'))
    }),
    { options: { depth: 'quick' } },
  )
  const messages = report.findings.filter(({ outcome }) => outcome === 'fail').map(({ message }) => message)
  expect(messages).toContain('listProviders 200: the body is UTF-16 or UTF-32; JSON must be UTF-8')
  expect(messages.join()).not.toContain('is not JSON')
})
