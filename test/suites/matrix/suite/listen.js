/** What only a process can do: listen on a port, read the document, and require. */
import { createRequire } from 'node:module'
import spec from '@workflow-automation/contract/openapi.json' with { type: 'json' }
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'
import { createService } from '@workflow-automation/contract/service'
import { check, runCases } from './check.js'
import { createMounted, mountProblems } from './mounted.js'

const result = await runCases({
  async 'the sandbox listens on a port'() {
    const sandbox = createSandbox()
    const { baseUrl, close } = await listen(sandbox)
    const response = await fetch(`${baseUrl}/playbooks`, { headers: { authorization: `Bearer ${sandbox.keys.valid}` } })
    check.same([response.status, (await response.json()).data.length], [200, 4])
    await close()
    await check.rejects(fetch(`${baseUrl}/playbooks`), Error)
  },
  async 'a service takes no harm of requests that no client sends'() {
    const { serve } = await import('srvx')
    const server = serve({ fetch: createMounted(createService).fetch, port: 0, hostname: '127.0.0.1', silent: true })
    await server.ready()
    check.same(await mountProblems(Number(new URL(server.url).port)), [])
    await server.close(true)
  },
  'the document can be imported'() {
    check.same(Object.keys(spec.paths).length, 5)
  },
  async 'every entry can be required, and is what import returns'() {
    const require = createRequire(import.meta.url)
    for (const entry of [
      '',
      '/sandbox',
      '/sandbox/node',
      '/conformance',
      '/redis',
      '/validators',
      '/examples',
      '/types',
    ]) {
      const name = `@workflow-automation/contract${entry}`
      const [required, imported] = [require(name), await import(name)]
      for (const key of Object.keys(imported)) check.ok(required[key] === imported[key], `${name}: ${key}`)
    }
  },
})
console.log(JSON.stringify(result))
process.exit(0)
