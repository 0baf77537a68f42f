import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { _, type CodeKeywordDefinition, type KeywordErrorDefinition, str } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { fastFormats } from 'ajv-formats/dist/formats.js'
import { build } from 'esbuild'
import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../contract/index.js'
import { OWN_FIELDS } from '../../lint/spectral/schemas-compile.js'
import { banner, literal, Source } from '../text.js'
import { worldSchema } from '../world.js'

const require = createRequire(import.meta.url)

type Parts = Record<string, Json>

/** The checks that Ajv compiles, which part of which operation each is for, and what is exported by name. */
export async function emitValidators(contract: Contract): Promise<Record<string, string>> {
  const components: Record<string, Json> = contract.document.components?.schemas ?? {}
  const { schemas, parts } = collect(contract)
  return {
    ...(await checkFiles('checks.js', components, { ...components, ...schemas })),
    'parts.ts': partsModule(parts),
    'validators.ts': validatorsModule(contract, Object.keys(components), parts),
  }
}

/** The check of worlds, apart from the validators because only the sandbox needs it. */
export const emitWorldCheck = (contract: Contract): Promise<Record<string, string>> =>
  checkFiles('sandbox/world.js', contract.document.components?.schemas ?? {}, { world: worldSchema(contract) })

/** The parts of each operation's requests and responses; what refers to no component is a schema of its own. */
function collect({ document, operations }: Contract): { schemas: Record<string, Json>; parts: Parts } {
  const schemas: Record<string, Json> = {}
  const checkFor = (schema: Json, name: string): Source => {
    const component = componentOf(schema)
    if (!component) schemas[name] = schema
    return new Source(`checks[${JSON.stringify(component ?? name)}]`)
  }
  const parametersOf = (parameters: Json[], owner: string) =>
    parameters.map(({ name, required = false, schema }) => {
      const { type = [], items } = resolve(document, schema) ?? {}
      const { type: itemType = [] } = resolve(document, items) ?? {}
      const isValid = checkFor(schema, `${owner} ${name}`)
      return { name, required, types: [type].flat(), itemTypes: [itemType].flat(), isValid }
    })
  const bodyOf = (node: Json, owner: string) => {
    const schema = jsonBody(node)?.schema
    return schema && { required: node.required ?? true, isValid: checkFor(schema, `${owner} body`) }
  }
  const responseOf = (response: Json, owner: string) => {
    const headers = Object.entries<Json>(response.headers ?? {})
    const parameters = headers.map(([name, header]) => ({ ...resolve(document, header), name }))
    return { header: parametersOf(parameters, `${owner} header`), body: bodyOf(response, owner) }
  }
  const partsOf = ({ id, parameters, requestBody, responses }: Operation): Json => {
    const partIn = (location: string) =>
      parametersOf(
        parameters.filter((each) => each.in === location),
        `${id} ${location}`,
      )
    return {
      path: partIn('path'),
      query: partIn('query'),
      header: partIn('header'),
      body: bodyOf(requestBody, id),
      responses: Object.fromEntries(responses.map(([status, each]) => [status, responseOf(each, `${id} ${status}`)])),
    }
  }
  const parts = Object.fromEntries(operations.map((operation) => [operation.id, partsOf(operation)]))
  return { schemas, parts }
}

const partsModule = (
  parts: Parts,
): string => `${banner()}import type { OperationParts } from '../src/runtime/validate.js'
import checks from './checks.js'
import type { OperationId } from './operations.js'

/** The parts of each operation's requests and responses, with their checks. */
export const operationParts: Record<OperationId, OperationParts> = ${literal(parts)}
`

function validatorsModule({ operations }: Contract, schemas: string[], parts: Parts): string {
  const forEach = (text: (name: string) => string) => schemas.map(text).join('')
  const bodies = operations.flatMap(({ id, requestBody }) => {
    const body = parts[id]?.body
    if (!body) return []
    const schema = componentOf(jsonBody(requestBody).schema)
    const type = schema ?? `operations['${id}']['requestBody']['content']['application/json']`
    const optional = `standardSchema<${type} | undefined>(${body.isValid.text}, false)`
    return `  ${id}: ${body.required ? `standardSchema<${type}>(${body.isValid.text})` : optional},\n`
  })
  return `${banner()}import { standardSchema } from '../src/runtime/standard-schema.js'
import checks from './checks.js'
import type { ${['operations', ...schemas].sort().join(', ')} } from './types.js'

/** The named schemas of the contract. */
export interface Schemas {
${forEach((name) => `  ${name}: ${name}\n`)}}

${forEach(guardOf)}/** The named schemas for libraries that take a Standard Schema, such as \`schemas.Run\`. */
export const schemas = {
${forEach((name) => `  ${name}: standardSchema<${name}>(checks.${name}),\n`)}}

/** The request bodies by operation, as Standard Schemas. */
export const requestBodies = {
${bodies.join('')}}
`
}

const guardOf = (name: string): string => `/** Whether a value is a ${name} as the contract has it. */
export const is${name} = (value: unknown): value is ${name} => checks.${name}(value)

`

/** A module below `generated/` with a check for each of the schemas, which may refer to components, and its declaration. */
const checkFiles = async (file: string, components: Record<string, Json>, schemas: Record<string, Json>) => ({
  [file]: await compile(components, schemas),
  [file.replace(/js$/, 'd.ts')]:
    `${banner()}import type { Check } from '${'../'.repeat(file.split('/').length)}src/runtime/problems.js'

declare const checks: {
${Object.keys(schemas)
  .map((each) => `  ${JSON.stringify(each)}: Check\n`)
  .join('')}}
export default checks
`,
})

/** Ajv's code for some schemas, which may refer to components, as one ES module without imports. */
async function compile(components: Record<string, Json>, schemas: Record<string, Json>): Promise<string> {
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
  return bundle(`${code}\nmodule.exports = {${exported.join(', ')}}`)
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
  })
  return `// @ts-nocheck\n${banner()}${result.outputFiles[0]?.text ?? ''}`
}
