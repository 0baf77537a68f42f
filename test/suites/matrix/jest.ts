import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.js'
import type { Row, Site } from './runtimes.js'

const TEST = `import { createClient } from '@workflow-automation/contract'
import { createSandbox } from '@workflow-automation/contract/sandbox'

test('a client reads from a sandbox', async () => {
  const { baseUrl, keys, fetch } = createSandbox()
  const { data } = await createClient({ baseUrl, apiKey: keys.valid, fetch }).listPlaybooks()
  expect(data.length).toBeGreaterThan(0)
})
`

/** Jest on Node 20, with each configuration that the guide "Test with the mock and the sandbox" shows. */
export async function jestRows(root: string, { tools, project }: Site): Promise<Row[]> {
  const guide = await readFile(join(root, 'docs/guides/testing.md'), 'utf8')
  const configurations = [...guide.matchAll(/```json\n(\{\n {2}"transform"[^`]*)```/g)].map(([, json]) => json!)
  if (configurations.length === 0)
    throw new Error('The guide "Test with the mock and the sandbox" shows no configuration of Jest.')
  return configurations.map((json) => {
    const name = /babel-jest|@swc\/jest|ts-jest/.exec(json)?.[0] ?? 'another transform'
    return {
      name: `Jest with ${name}, Node 20`,
      async run() {
        const folder = join(project, `jest-${name.replaceAll(/\W/g, '')}`)
        await mkdir(folder, { recursive: true })
        await writeFile(join(folder, 'client.test.js'), TEST)
        // The tools lie in a folder of their own, where Jest finds them by their paths.
        const installed = json.replaceAll(/"(@swc\/jest|babel-jest|ts-jest|@babel\/preset-env)"/g, `"${tools}/$1"`)
        await writeFile(join(folder, 'jest.config.json'), installed)
        const args = [join(tools, 'jest/bin/jest.js'), '--config', 'jest.config.json', '--no-cache']
        const { code, stdout, stderr } = await run(join(tools, 'node20/bin/node'), args, folder)
        return code === 0 ? { passed: 1, failed: [] } : { passed: 0, failed: [(stderr || stdout).slice(0, 2_000)] }
      },
    }
  })
}
