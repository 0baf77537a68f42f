import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { operations } from '../../generated/operations.js'

/** In bytes, minified and compressed; with room for a parameter or a header, which adds some ten. */
const CODE = 19_200
const EACH_OPERATION = 70

it('createClient takes little more than its code, and pulls in no sandbox, validators or examples', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { createClient } from '../../src/index.js'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(
    CODE + EACH_OPERATION * Object.keys(operations).length,
  )
  expect(Object.keys(metafile.inputs).filter((file) => /sandbox|validators|examples|basis/.test(file))).toEqual([])
})
