import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finish, repository } from '../support/project.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reproducible-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('npm pack', () => {
  it('makes the same bytes of the same commit, wherever, whenever and by whomever it is packed', async () => {
    const clones = ['here', 'in/another folder'].map((name) => join(folder, name))
    for (const clone of clones) {
      execFileSync('git', ['clone', '--quiet', repository, clone], { stdio: 'ignore' })
      symlinkSync(join(repository, 'node_modules'), join(clone, 'node_modules'))
    }
    const masks = ['022', '077']
    const packed = await Promise.all(
      clones.map((clone, index) =>
        finish('sh', ['-c', `umask ${masks[index]} && chmod -R go-rwx . && npm pack --loglevel error`], clone),
      ),
    )
    for (const { code, printed } of packed) expect({ code, printed }).toMatchObject({ code: 0 })
    const name = 'workflow-automation-contract-1.0.0.tgz'
    const [first, second] = clones.map((clone) => readFileSync(join(clone, name)))
    expect(first?.equals(second as Buffer)).toBe(true)
  })
})
