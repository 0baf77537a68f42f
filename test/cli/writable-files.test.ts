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
  await checkOutputs({}, { '--junit': link })
  await writeWhole([[link, 'after']])
  expect([read(file), read(link)]).toEqual(['after', 'after'])
  expect(readdirSync(own)).toEqual(['report.xml'])
  await writeWhole([[link, 'again']])
  expect(read(file)).toBe('again')
})

it('a symbolic link to a file that does not exist yet creates it', async () => {
  const { own } = folderWith('dangling')
  symlinkSync(join(own, 'new.xml'), join(own, 'link.xml'))
  await writeWhole([[join(own, 'link.xml'), 'after']])
  expect(read(join(own, 'new.xml'))).toBe('after')
})

// Only root may mount, as in a container.
it.runIf(canMount)('a file that is mounted into a container is written in place', async () => {
  const { own, file } = folderWith('mounted')
  const source = folderWith('source')
  mount('--bind', source.file, file)
  try {
    await checkOutputs({}, { '--junit': file })
    await writeWhole([[file, 'after']])
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
  await checkOutputs({}, { '--junit': file })
  await writeWhole([[file, 'after']])
  expect(read(file)).toBe('after')
  chmodSync(own, 0o755)
})

it('no file is changed when one of them cannot be written', async () => {
  const { file } = folderWith('whole')
  await expect(
    writeWhole([
      [file, 'after'],
      [join(folder, 'missing', 'report.html'), 'after'],
    ]),
  ).rejects.toThrow(/ENOENT/)
  expect(read(file)).toBe('before')
})
