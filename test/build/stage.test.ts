import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStage } from '../../scripts/support/stage.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'stage-'))
  for (const folder of ['generated', 'dist']) {
    mkdirSync(join(root, folder))
    writeFileSync(join(root, folder, 'file.txt'), 'before')
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const files = () => ['generated', 'dist'].map((folder) => readFileSync(join(root, folder, 'file.txt'), 'utf8'))

function buildWith(...obstacles: string[]): void {
  using stage = openStage(root)
  for (const folder of ['generated', 'dist', ...obstacles]) stage.write(`${folder}/file.txt`, 'after')
  stage.swapIn([])
}

it('a build that cannot move its folders leaves generated/ and dist/ as they were', () => {
  // The folder that the swap ends with.
  expect(() => buildWith('replaced')).toThrow(/ENOTEMPTY|EEXIST|EPERM/)
  expect(files()).toEqual(['before', 'before'])
  expect(readdirSync(join(root, '.build'))).toEqual([])
})

it('a build replaces generated/ and dist/', () => {
  buildWith()
  expect(files()).toEqual(['after', 'after'])
})
