import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadContract } from '../../../scripts/contract/load.js'
import { emitGuides } from '../../../scripts/emit/docs/index.js'
import { run } from '../../cli/command.js'
import { repository } from '../../support/project.js'

it('docs lists every guide with its title, and prints each as the package has it', async () => {
  const { status, out } = await run(['docs'])
  expect(status).toBe(0)
  const names = [...out.matchAll(/^ {2}([\w-]+) {2,}\S/gm)].map(([, name = '']) => name)
  const files = Object.keys(await emitGuides(await loadContract(repository), repository))
  expect([...names, 'README'].map((name) => `${name}.md`).sort()).toEqual(files.sort())
  const printed = await run(['docs', 'errors-and-retries'])
  expect(printed).toMatchObject({ status: 0, error: '' })
  expect(printed.out).toBe(readFileSync(join(repository, 'docs/guides/errors-and-retries.md'), 'utf8'))
})

it('docs says which guides there are when it is asked for another', async () => {
  for (const name of ['nothing', '../../package', '../../../etc/passwd']) {
    const { status, out, error } = await run(['docs', name])
    expect([status, out]).toEqual([2, ''])
    expect(error).toMatch(/Unknown guide ".*"\. The guides are:[\s\S]*getting-started/)
  }
})

it('docs prints no Markdown that only the site has', async () => {
  const { out } = await run(['docs', 'triggering-and-watching'])
  expect(out).toContain('`running` leads to')
  expect(out).not.toMatch(/<svg|<!--|run=|<span/)
})
