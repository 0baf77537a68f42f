import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkOutputs, writeWhole } from '../../src/tools/cli/writable-files.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = (file: string) => readFileSync(file, 'utf8')

/** A new folder with a file in it. */
function folderWith(name: string, text = 'before'): { own: string; file: string } {
  const own = join(folder, name)
  mkdirSync(own)
  writeFileSync(join(own, 'report.xml'), text)
  return { own, file: join(own, 'report.xml') }
}

const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'pipe' })
const canMount = (() => {
  const probe = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    mount('--bind', probe, probe)
    execFileSync('umount', [probe])
    return true
  } catch {
    return false
  } finally {
    rmSync(probe, { recursive: true })
  }
})()

it('a symbolic link stays, and the file that it names is written', async () => {
  const { own, file } = folderWith('link')
  const link = join(folder, 'link.xml')
  symlinkSync(file, link)
  await checkOutputs({ '--junit': link })
  await writeWhole(link, 'after')
  expect([read(file), read(link)]).toEqual(['after', 'after'])
  expect(readdirSync(own)).toEqual(['report.xml'])
  await writeWhole(link, 'again')
  expect(read(file)).toBe('again')
})

// Only root may mount, as in a container.
it.runIf(canMount)('a file that is mounted into a container is written in place', async () => {
  const { own, file } = folderWith('mounted')
  const source = folderWith('source')
  mount('--bind', source.file, file)
  try {
    await checkOutputs({ '--junit': file })
    await writeWhole(file, 'after')
    expect([read(file), read(source.file), readdirSync(own)]).toEqual(['after', 'after', ['report.xml']])
  } finally {
    execFileSync('umount', [file])
  }
})

it('a file in a folder in which no other can be made is written in place', async () => {
  const { own, file } = folderWith('closed')
  // Root may write into a folder without the permission, so a folder has the name that the new file would take.
  mkdirSync(join(own, `report.xml.${process.pid}.part`))
  chmodSync(own, 0o555)
  await checkOutputs({ '--junit': file })
  await writeWhole(file, 'after')
  expect(read(file)).toBe('after')
  chmodSync(own, 0o755)
})

it('a file whose folder is missing is refused before the work begins, with what to do', async () => {
  const missing = join(folder, 'missing', 'report.xml')
  await expect(checkOutputs({ '--junit': missing })).rejects.toThrow(
    /report\.xml cannot be written: .* is not a writable folder/,
  )
  await expect(checkOutputs({ '--junit': folder })).rejects.toThrow(/it is a folder\. Name a file in it/)
  await expect(checkOutputs({ '--junit': '' })).rejects.toThrow('--junit names no file.')
})
