import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { _, type CodeKeywordDefinition, type KeywordErrorDefinition, str } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { build } from 'esbuild'
import { componentOf, type Json } from '../../contract/index.js'
import { OWN_FIELDS } from '../../lint/spectral/schemas-compile.js'
import { packagesOf } from '../../notices.js'
import { banner } from '../text.js'

const require = createRequire(import.meta.url)

/** A module below `generated/` with a check for each of the schemas, which may refer to components, and its declaration. */
export const checkFiles = async (
  file: string,
  components: Record<string, Json>,
  schemas: Record<string, Json>,
  assumed: Record<string, RegExp | undefined> = {},
) => ({
  [file]: await compileSchemas(components, schemas, assumed),
  [file.replace(/js$/, 'd.ts')]:
    `${banner()}import type { ValidateFunction } from '${'../'.repeat(file.split('/').length)}src/runtime/problems.js'

declare const checks: {
${Object.keys(schemas)
  .map((each) => `  ${JSON.stringify(each)}: ValidateFunction\n`)
  .join('')}}
export default checks
`,
})

/** Ajv's code for schemas, as a module without imports. They may refer to components. */
async function compileSchemas(
  components: Record<string, Json>,
  schemas: Record<string, Json>,
  assumed: Record<string, RegExp | undefined>,
): Promise<string> {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allErrors: true,
    allowUnionTypes: true,
    inlineRefs: false,
    // The lint has validated them.
    validateSchema: false,
    logger: false,
    formats: regularFormats(),
    keywords: OWN_FIELDS,
    code: { source: true, lines: true },
  })
  const pattern = ajv.getKeyword('pattern') as CodeKeywordDefinition
  ajv.removeKeyword('pattern')
  ajv.addKeyword({ ...pattern, error: PATTERN_ERROR })
  for (const [name, schema] of Object.entries({ ...components, ...schemas }))
    ajv.addSchema(withLocalReferences(schema), encodeURIComponent(name))
  const names = Object.keys(schemas)
  const ids = Object.fromEntries(names.map((name, index) => [`check${index}`, encodeURIComponent(name)]))
  const exported = names.map((name, index) => `${JSON.stringify(name)}: exports.check${index}`)
  const code = withLinearErrors(standaloneCode.default(ajv, ids))
  const locations = names.flatMap((name, index) => assumed[name] && `exports.check${index}.assumed = ${assumed[name]}`)
  return bundle([code, ...locations.filter(Boolean), `module.exports = {${exported.join(', ')}}`].join('\n'))
}

/** An error of a pattern says what the pattern means. */
const PATTERN_ERROR: KeywordErrorDefinition = {
  message: ({ schemaCode, parentSchema: { 'x-pattern-means': means } = {} }) =>
    means ? str`must be ${means}` : str`must match pattern "${schemaCode}"`,
  params: ({ schemaCode, parentSchema: { 'x-pattern-means': means } = {} }) =>
    means ? _`{pattern: ${schemaCode}, means: ${means}}` : _`{pattern: ${schemaCode}}`,
}

/**
 * Ajv copies all errors so far for each item of a list that has some: 150,000 wrong items take 68 s in the place of 0.2 s, in
 * which a service would respond to nobody. It has no option for it, so its code is edited.
 */
function withLinearErrors(code: string): string {
  const copied = /vErrors === null \? (\w+)\.errors : vErrors\.concat\(\1\.errors\)/g
  const edited = code.replaceAll(copied, 'withErrors(vErrors, $1.errors)')
  if (edited.includes('vErrors.concat'))
    throw new Error('Ajv collects errors in another way now: see withLinearErrors.')
  return `function withErrors(all, more) {
    if (all === null) return more
    for (const error of more) all.push(error)
    return all
  }
  ${edited}`
}

/** Formats as regular expressions, so that nothing has to be imported for them. */
const regularFormats = () =>
  Object.fromEntries(
    Object.entries<Json>(fastFormats)
      .map(([name, format]) => [name, format.validate ?? format])
      .filter(([, test]) => test instanceof RegExp),
  )

/** A schema without descriptions, its references as names of components, which is how the schemas are registered. */
const withLocalReferences = (schema: Json): Json =>
  JSON.parse(
    JSON.stringify(schema, (key, value) => {
      // Ajv keeps the schemas that have an enumeration, with their texts.
      if (key === 'description' && typeof value === 'string') return undefined
      return key === '$ref' ? componentOf({ $ref: value }) : value
    }),
  )

/** The packages whose code the checks contain. */
export const PACKAGES_IN_CHECKS = ['ajv']

/** A CommonJS module, with what it requires of Ajv, as an ES module. */
async function bundle(contents: string): Promise<string> {
  const ajv = dirname(realpathSync(require.resolve('ajv/package.json')))
  const result = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    alias: { ajv },
    // esbuild names a CommonJS module by its path below this folder, which has to be the same on every machine.
    absWorkingDir: dirname(ajv),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    minify: true,
    lineLimit: 200,
    write: false,
    metafile: true,
  })
  const files = Object.keys(result.metafile.inputs).filter((file) => file !== '<stdin>')
  const packages = packagesOf(files.map((file) => join(dirname(ajv), file)))
  if (packages.some((name) => !PACKAGES_IN_CHECKS.includes(name)))
    throw new Error(`The checks contain code of ${packages.join(', ')}: extend PACKAGES_IN_CHECKS.`)
  return `// @ts-nocheck\n${banner()}${result.outputFiles[0]?.text ?? ''}`
}
