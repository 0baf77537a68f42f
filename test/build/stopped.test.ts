import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { finish } from '../support/project.js'
import { untouchedProject } from './untouched.js'

const project = untouchedProject()

describe('a build that fails', () => {
  it('the build exits with 1 when the disk is full', async () => {
    // The limit of the shell makes every write beyond 20 kB fail, as a full disk does.
    const { code, printed } = await finish(
      'bash',
      ['-c', 'ulimit -f 20; exec "$0" --import tsx scripts/build.ts', process.execPath],
      project().root,
    )
    expect(code).toBe(1)
    expect(printed).toMatch(/^generated\/\S+ cannot be written \(EFBIG.+\)\. Make room on the disk and build again\.$/m)
  })

  it('the build exits with 1 when a file is not YAML, and leaves generated/ and dist/ unchanged', async () => {
    project().edit('openapi/components/schemas/Run.yaml', 'properties:', 'properties: [')
    const { code, printed } = await project().build()
    expect(code).toBe(1)
    expect(printed).toMatch(/Run\.yaml:\d+:\d+ {2}yaml {2}[\s\S]+\d problems?; generated\/ and dist\/ are unchanged\./)
  })

  it('the build exits with 130 when it is interrupted, and leaves generated/ and dist/ unchanged', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], {
      cwd: project().root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (chunk) => (errors += chunk))
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        if (String(chunk).includes('bundle')) resolve()
      }),
    )
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    expect(errors).toContain('Interrupted; generated/ and dist/ are unchanged.')
    expect(readdirSync(join(project().root, '.build'))).toEqual([])
  })
})
