import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('createClient pulls in no sandbox, validators or examples', async () => {
  const { metafile } = await build({
    stdin: { contents: "export { createClient } from '../../src/index.js'", resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  expect(Object.keys(metafile.inputs).filter((file) => /sandbox|validators|examples|basis/.test(file))).toEqual([])
})
