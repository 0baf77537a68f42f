import { expect, it } from 'vitest'
import { ConformanceError, type ConformanceProgress, checkConformance } from '../../../src/tools/conformance/index.js'
import { renderHtml } from '../../../src/tools/conformance/report/html.js'
import { renderTable } from '../../../src/tools/conformance/report/table.js'
import { VERSION } from '../../support/fixtures.js'
import { printed, tryService } from '../service.js'
import { check, run } from '../traffic/recording.js'

/** The first one also as it is sent without its end. */
const KEYS = ['key_vali', 'key_read_only', 'key_other_workspace', 'key_hobby']

it('a report shows no key, however the service echoes it', async () => {
  const received: ConformanceProgress[] = []
  const report = await tryService(
    (served) => {
      const key = served.key || 'key_valid'
      served.headers.set('x-key', key)
      served.headers.set('set-cookie', `session=${key}`)
      served.headers.set('x-key-base64', btoa(key))
      if (served.status >= 400) {
        served.body[key] = key
        served.body.message = `The key ${key} (${btoa(key)}) is wrong.`
        served.body.error = key
      }
      const escaped = [...key].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join('')
      if (served.path === '/providers') served.text = `{"${escaped}": "${escaped}"}`
      if (served.path === '/playbooks') served.text = `${'x'.repeat(1_995)}${key}`
    },
    { trigger: 'succeeds', options: { onProgress: (progress) => received.push(progress) } },
  )
  const coloured = renderTable(report, { colour: true, width: 100 })
  const written = [...printed(report), coloured, JSON.stringify(received)]
  for (const text of written)
    for (const key of KEYS) {
      expect(text).not.toContain(key)
      expect(text).not.toContain(btoa(key).replaceAll('=', ''))
      // "key", which each of them begins with: ids, which are no keys, may have a "k".
      expect(text).not.toMatch(/u006b\\*u0065\\*u0079/)
    }
  expect(report.findings.find(({ request }) => request)?.request?.headers.authorization).toBe('Bearer ••••')
})

it('a report shows no part of a key that was refused for being like the right one', async () => {
  const key = 'wfk-AbCdEfGhIjKl.0123456789mnopq'
  const next = key.replaceAll(/[a-z\d]/gi, (each) => String.fromCharCode(each.charCodeAt(0) + 1))
  const report = await tryService(
    (served) => {
      if (served.status !== 401) return
      served.status = 403
      served.body.message = `There is no key ${served.key}, or ${served.key?.toUpperCase()}.`
    },
    {
      options: { apiKey: key },
      before(request) {
        if (request.headers.get('authorization') === `Bearer ${key}`)
          request.headers.set('authorization', 'Bearer key_valid')
        return request
      },
    },
  )
  const text = printed(report).join().toLowerCase()
  expect(report.requests).toBeGreaterThan(100)
  for (const each of [key, next])
    for (let from = 0; from + 8 <= each.length; from++)
      expect(text).not.toContain(each.slice(from, from + 8).toLowerCase())
})

it.each([
  ...['pass', 'db_pass', 'passcode', 'pwd', 'pw', 'passwort', 'kennwort', 'pin', 'otp', 'totp', 'mfa', 'jwt', 'sid'],
  ...['session', 'sessionId', 'sig', 'signature', 'bearer', 'credentials', 'cvv', 'recoveryCode'],
])('a report on a recording shows no word in a property, header or parameter %s', async (name) => {
  const word = 'hunter2'
  const report = await check([
    {
      path: `/runs/run_1?${name}=${word}`,
      body: run({ started_at: 'now', [name]: word }),
      headers: { [name]: word, [`X-${name}`]: word },
      responseHeaders: { [`X-${name}`]: word },
    },
    {
      path: '/playbooks/pb_1/runs',
      method: 'POST',
      sent: JSON.stringify({ inputs: { [name]: word } }),
      status: 404,
      at: 1,
    },
  ])
  expect(report.passed).toBe(false)
  expect(JSON.stringify(report) + renderHtml(report)).not.toContain(word)
})

it.each([
  [{ apiKey: 'hidden key' }, 'apiKey is empty or has a character that no key has'],
  [{ apiKey: 'hidden\nkey' }, 'apiKey is empty or has a character that no key has'],
  [{ apiKey: '' }, 'There is no API key.'],
  [{ readOnlyKey: 'hiddén' }, 'readOnlyKey is empty'],
  [{ baseUrl: `https://me:hidden@api.example.com${VERSION}` }, 'must hold no user name and no password'],
  [{ baseUrl: `https://workflow-automation.example${VERSION}?token=hidden` }, 'must end with its path'],
  [
    { baseUrl: `api.example.com${VERSION}` },
    `has to be complete, such as https://workflow-automation.example${VERSION}`,
  ],
  [{ baseUrl: `ftp://api.example.com${VERSION}` }, 'has to begin with https://'],
  [{ run: '..' }, 'run must be an id'],
  [{ serviceVersion: 'latest' }, 'must be a date'],
  [{ maxWait: -1 }, 'maxWait must be a number of ms above 0'],
])('verify refuses %j before anything is sent, without quoting a secret', async (options, message) => {
  const fetch = () => Promise.reject(new Error('nothing may be sent'))
  const all = { baseUrl: `https://workflow-automation.example${VERSION}`, apiKey: 'key', fetch, ...options }
  const error = await checkConformance(all).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConformanceError)
  expect((error as Error).message).toContain(message)
  expect(String((error as Error).stack)).not.toContain('hidd')
})

it('a report without bodies shows no value of one, also none that the contract does not name', async () => {
  const status = 'value_of_a_body'
  const sent = [{ path: '/runs/run_1', body: run({ status }), key: 'key_valid' }]
  const shown = JSON.stringify((await check(sent)).findings.map(({ discovery }) => discovery))
  expect(shown).toContain(status)
  expect(printed(await check(sent, { bodies: false })).filter((text) => text.includes(status))).toEqual([])
})
