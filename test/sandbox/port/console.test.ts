import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInPageBackend } from '../../../src/tools/console/in-page.js'
import { curlCommand } from '../../../src/tools/console/requests/curl.js'
import { draftRequest, send } from '../../../src/tools/console/requests/draft.js'
import { createSandbox, type SandboxState } from '../../../src/tools/sandbox/index.js'
import type { Connection } from '../../../src/tools/sandbox/remote/control.js'
import { VERSION } from '../../support/fixtures.js'

describe('the curl commands of the console', () => {
  it('a curl command passes every argument unchanged and contains no control character', () => {
    // A NUL ends an argument, so no program can get one.
    const text = fc.string({ unit: fc.oneof(fc.constantFrom(...'\'"\\$`!\n\r\t\x1b\x7f\x85 xu1'), fc.string()) })
    fc.assert(
      fc.property(
        text.map((each) => each.replaceAll('\0', '')),
        (body) => {
          const command = curlCommand({
            method: 'POST',
            url: `http://127.0.0.1${VERSION}/runs/${body}`,
            headers: { 'x-note': body },
            body,
          })
          expect(command).not.toMatch(/\p{Cc}/u)
          const printed = execFileSync('bash', ['-c', command.replace('curl', "printf '%s\\0'")], { encoding: 'utf8' })
          expect(printed.split('\0').slice(-5)).toEqual([
            '-H',
            body === '' ? 'x-note;' : `x-note: ${body}`,
            '--data-raw',
            body,
            '',
          ])
        },
      ),
      { numRuns: 15 },
    )
  })

  it('a curl command uses --head for HEAD, sends no form content type, and sends headers without a value', () => {
    const url = `http://127.0.0.1${VERSION}`
    expect(curlCommand({ method: 'HEAD', url, headers: { 'x-empty': '' }, body: undefined })).toBe(
      `curl -i -g --path-as-is --head ${url} -H 'x-empty;'`,
    )
    expect(curlCommand({ method: 'POST', url, headers: {}, body: 'x' })).toBe(
      `curl -i -g --path-as-is -X POST ${url} -H content-type: --data-raw x`,
    )
  })
})

describe('a sandbox inside the page', () => {
  it('the console works with a sandbox inside the page: commands, requests and events need no server', async () => {
    const sandbox = createSandbox()
    const backend = createInPageBackend(sandbox)
    let changes = 0
    const connections: Connection[] = []
    const end = backend.subscribe({
      changed: () => changes++,
      event() {},
      connection: (each) => connections.push(each),
    })
    const draft = { operation: 'triggerRun', key: sandbox.keys.valid, body: '{"inputs":{}}' } as const
    const sent = await send(backend, { ...draft, parameters: { id: sandbox.playbooks.needsApproval } })
    const { id } = Object(sent.response?.body) as { id: string }
    for (let count = 0; count < 2; count++)
      await send(backend, { operation: 'getRun', key: sandbox.keys.valid, parameters: { id }, body: undefined })
    await backend.command(`POST runs/${id}/approve`)
    const { workspaces } = await backend.command<SandboxState>('GET state?workspace=main&last=1')
    expect(workspaces[0]?.runs[0]?.run.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    await expect(backend.command(`POST runs/${id}/approve`)).rejects.toThrow('is not waiting for approval')
    await expect(backend.command('POST fly')).rejects.toThrow('Unknown command; expected one of: ')
    sandbox.inject({ drop: true })
    expect(await send(backend, { ...draft, parameters: { id: 'x' } })).toMatchObject({
      problem: 'No response: fetch failed',
    })
    expect(connections).toEqual(['live'])
    const before = changes
    sandbox.reset()
    expect(changes).toBe(before + 1)
    end()
    sandbox.reset()
    expect(changes).toBe(before + 1)
  })

  it('the request form puts each value into the part of the request that the contract names', () => {
    const parameters = { id: '../a b', page: '2', per_page: '' }
    const request = (operation: 'getRun' | 'listPlaybooks', key: string) =>
      draftRequest(`https://api.test${VERSION}`, { operation, key, parameters, body: undefined })
    expect(request('getRun', 'k')).toMatchObject({ method: 'GET', url: `https://api.test${VERSION}/runs/..%2Fa%20b` })
    expect(request('listPlaybooks', '')).toEqual({
      method: 'GET',
      url: `https://api.test${VERSION}/playbooks?page=2`,
      headers: {},
      body: undefined,
    })
  })
})
