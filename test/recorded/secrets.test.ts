import { describe, expect, it } from 'vitest'
import { checkTraffic, worldFromTraffic } from '../../src/tools/conformance/index.js'
import { renderHtml } from '../../src/tools/conformance/report/html.js'
import { VERSION } from '../support/fixtures.js'
import { archiveOf, pageOf, type Sent, WORKSPACE } from './recordings.js'
import { replayOnItsWorld } from './replayer.js'

const random = 'q7Zt2LmXc9RfV4bN8sKd'

/** Made up: no service has issued any of them. In pieces, so that no scanner of repositories takes them for real ones. */
const SECRETS: Record<string, string> = {
  'an AWS access key': `AKIA${'IOSFODNN7EXAMPLE'}`,
  'an AWS secret key': `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCYEXAMPLEKEY'}`,
  'a GitHub token': `ghp_${random}${random.slice(0, 16)}`,
  'a Slack webhook': `https://hooks.slack.com/services/T00000000/B00000000/${random}`,
  'an Anthropic key': `sk-ant-api03-${random}`,
  'a SendGrid key': `SG.${random}.${random}${random}`,
  'a Telegram token': `123456789:AA${random}${random.slice(0, 13)}`,
  'a JSON web token': `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${random}`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\nMIIEow${random}\n-----END RSA PRIVATE KEY-----`,
  'credentials in a URL': `postgres://admin:s3cr3tpw@db.example.com/orders`,
  'an Azure connection string': `DefaultEndpointsProtocol=https;AccountKey=${random}${random}==`,
  'a session id in hexadecimal': '9f86d081884c7d659a2feaa0c55ad015',
  'a UUID': '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'a key in base64': 'dGhpcyBpcyBhIHNlY3JldCB2YWx1ZSE0Mg==',
  'an e-mail address': 'jane.doe+orders@acme-customers.example',
  'a telephone number': '+49 30 901820 144',
  'a card number': '4111 1111 1111 1111',
  'an account number': 'DE89370400440532013000',
  'a number of social insurance': '078-05-1120',
}

/** What nobody can tell from a word: only its name, or a cookie with it, gives it away. */
const SHORT = 'hunter2'

/** A recording with one secret everywhere in bodies, and on request in URLs, headers and cookies, which makes it a known one. */
function planted(secret: string, isKnown: boolean): Sent[] {
  const header = /[\r\n]/.test(secret) ? encodeURIComponent(secret) : secret
  const everywhere: Partial<Sent> = {
    query: `?access_token=${encodeURIComponent(secret)}&note=${encodeURIComponent(secret)}`,
    headers: {
      'x-api-key': header,
      'x-forwarded-user': header,
      cookie: `theme=dark; sid=${header}`,
      referer: `https://app.example.com/?t=${header}`,
    },
    responseHeaders: { 'set-cookie': `sid=${header}; Path=/`, 'x-session': header, location: `/login?next=${header}` },
  }
  const run = (id: string, status: string) => ({
    id,
    status,
    playbook_id: 'pb_1',
    started_at: '2026-11-21T09:30:00Z',
    steps: [{ id: 's1', status: 'running', capability: 'crm.find', log: `used ${secret} here` }],
    debug: { token: secret, notes: [`It is ${secret}.`, secret] },
  })
  const all: Sent[] = [
    {
      path: '/workspaces/me',
      body: { ...WORKSPACE, internal_owner: secret, contact: { email: secret, password: secret } },
    },
    {
      path: '/playbooks',
      body: pageOf({ id: 'pb_1', name: `Ask ${secret}`, description: `Call ${secret} before noon.` }),
    },
    {
      path: '/providers',
      body: pageOf({ id: 'crm', name: 'CRM', settings: { url: `https://crm.example.com/?k=${secret}` } }),
    },
    {
      path: '/playbooks/pb_1/runs',
      method: 'POST',
      sent: {
        inputs: { password: secret, note: `see ${secret}`, json: JSON.stringify({ nested: secret }), [secret]: 'x' },
      },
      status: 201,
      body: run('run_1', 'running'),
    },
    { path: '/runs/run_1', body: run('run_1', 'succeeded') },
    { path: '/runs/run_0', status: 404, body: { error: 'not_found', message: `No run for ${secret}` } },
    // Without what is stated of a run: it is left out and named.
    { path: '/runs/run_1', body: { id: 'run_1', status: secret, playbook_id: 5, started_at: secret, steps: [] } },
    {
      path: '/workspaces/me',
      key: isKnown ? header : 'wrong',
      status: 401,
      body: { error: 'unauthorized', message: `${secret} is wrong` },
    },
  ]
  return all.map((sent) => ({ ...(isKnown && everywhere), ...sent }))
}

/** A secret in the forms in which a text may have it. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  btoa(secret),
]

/** The world, and what a sandbox with it receives when the requests of the recording are sent to it. */
async function everyOutput(sent: readonly Sent[]): Promise<string> {
  const { sandbox, replayed, ...made } = await replayOnItsWorld({ har: archiveOf(sent) })
  expect(replayed.sent).toBeGreaterThan(4)
  return JSON.stringify([made, replayed, sandbox.requests()])
}

describe('a world, and the report of its recording', () => {
  it.each(Object.entries(SECRETS))('no output has %s that was recorded anywhere', async (_, secret) => {
    for (const isKnown of [false, true]) {
      const output = await everyOutput(planted(secret, isKnown))
      for (const form of formsOf(secret)) expect(output).not.toContain(form)
    }
  })

  it('a world replaces a word when its name is that of a secret, or when it is a cookie, wherever it stands', async () => {
    const output = await everyOutput(planted(SHORT, true))
    expect(output).not.toContain(SHORT)
  })

  it.each([
    ...['pass', 'db_pass', 'passcode', 'pwd', 'pw', 'passwort', 'kennwort', 'pin', 'otp', 'totp', 'mfa', 'jwt', 'sid'],
    ...['session', 'sessionId', 'sig', 'signature', 'bearer', 'credentials', 'cvv', 'recoveryCode'],
  ])(
    'a world replaces a word in a property %s, and verify shows none, nor one in a header or parameter',
    async (name) => {
      const more = { headers: { [name]: SHORT, [`X-${name}`]: SHORT }, responseHeaders: { [`X-${name}`]: SHORT } }
      const har = archiveOf([
        { path: '/workspaces/me', body: { ...WORKSPACE, [name]: SHORT }, query: `?${name}=${SHORT}`, ...more },
        { path: '/playbooks/pb_1/runs', method: 'POST', sent: { inputs: { [name]: SHORT } }, status: 404, body: {} },
      ])
      const { world } = await worldFromTraffic({ har })
      expect(JSON.stringify(world)).not.toContain(SHORT)
      const report = await checkTraffic({ har, baseUrl: `https://api.example.com${VERSION}` })
      expect(JSON.stringify(report) + renderHtml(report)).not.toContain(SHORT)
    },
  )

  it.each(['card_number', 'passport', 'tel', 'fax', 'addr', 'dob'])(
    'a world replaces a word in a property %s',
    async (name) => {
      const { world } = await worldFromTraffic({
        har: archiveOf([{ path: '/workspaces/me', body: { ...WORKSPACE, [name]: SHORT } }]),
      })
      expect(JSON.stringify(world)).not.toContain(SHORT)
    },
  )

  it('a world replaces the same text by the same, and says where it stood', async () => {
    const address = 'jane.doe@acme.example'
    const { world, replaced } = await worldFromTraffic({
      har: archiveOf([
        { path: '/workspaces/me', body: { ...WORKSPACE, owner_email: address } },
        { path: '/playbooks', body: pageOf({ id: 'pb_1', description: `Ask ${address} or bob@acme.example.` }) },
      ]),
    })
    expect(world.recorded?.workspace).toEqual({ ...WORKSPACE, owner_email: 'person2@example.com' })
    expect(world.recorded?.playbooks.pb_1?.playbook.description).toBe('Ask person2@example.com or person3@example.com.')
    expect(replaced).toEqual([
      { operation: '', pointer: '', replacement: 'key_recorded_1' },
      { operation: 'getCurrentWorkspace', pointer: '/owner_email', replacement: 'person2@example.com' },
      { operation: 'listPlaybooks', pointer: '/data/0/description', replacement: 'person3@example.com' },
    ])
  })

  it('a world keeps what is named, but never a key, and keeps what is no secret', async () => {
    const har = archiveOf([
      { path: '/workspaces/me', body: { ...WORKSPACE, support: 'help@acme.example', hint: 'key_of_the_test' } },
      {
        path: '/playbooks',
        body: pageOf({ id: 'pb_7hQ2vn', name: 'Close tickets of 2026-11-21', description: 'Takes 30 minutes.' }),
      },
    ])
    const { world } = await worldFromTraffic({ har, keep: ['/support', '/hint'] })
    expect(world.recorded?.workspace).toEqual({ ...WORKSPACE, support: 'help@acme.example', hint: 'key_recorded_1' })
    expect(world.recorded?.playbooks.closeTicketsOf20261121?.playbook).toEqual({
      id: 'pb_7hQ2vn',
      name: 'Close tickets of 2026-11-21',
      description: 'Takes 30 minutes.',
    })
  })
})
