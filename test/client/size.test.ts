import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('createClient takes at most 19.35 kB, minified and compressed, and pulls in no sandbox, validators or examples', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { createClient } from '../../src/index.js'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThanOrEqual(19_350)
  expect(Object.keys(metafile.inputs).filter((file) => /sandbox|validators|examples|basis/.test(file))).toEqual([])
})
