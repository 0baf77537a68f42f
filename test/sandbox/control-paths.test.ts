import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { repository } from '../support/project.js'

it('the guide lists every request that the control interface has', async () => {
  const guide = readFileSync(join(repository, 'openapi/guides/testing.md'), 'utf8')
  const server = await listen(createSandbox())
  try {
    const { commands } = await (await fetch(`${server.url}/__sandbox/`)).json()
    expect(commands.length).toBeGreaterThan(10)
    for (const command of commands)
      expect(guide.includes(`\`${command}\``) || guide.includes(`\`${command}?`), command).toBe(true)
  } finally {
    await server.close()
  }
})
