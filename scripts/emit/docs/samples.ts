import { type Contract, componentOf, type Json, jsonBody, type Operation, resolve } from '../../contract/index.js'
import { literal } from '../text.js'

/** The order of the tabs. The labels choose the sample that a tab shows. */
export const SAMPLE_LANGUAGES = [
  { lang: 'bash', label: 'curl' },
  { lang: 'typescript', label: 'TypeScript client' },
  { lang: 'typescript', label: 'TypeScript fetch' },
]

/**
 * The samples of an operation, their values from the examples of its parameters and of its body. A list is asked for the
 * page that its example shows.
 */
export function codeSamples(contract: Contract, operation: Operation) {
  const call = callOf(contract, operation)
  const sources = [curlSample(call), clientSample(call), fetchSample(call)]
  return SAMPLE_LANGUAGES.map((language, index) => ({ ...language, source: sources[index] ?? '' }))
}

type Call = ReturnType<typeof callOf>

function callOf({ document }: Contract, { id, method, path, parameters, responses, requestBody }: Operation) {
  const valuesOf = (location: string): [string, Json][] =>
    parameters.filter((each) => each.in === location).map(({ name, schema }) => [name, schema.examples?.[0]])
  const pathValues = valuesOf('path')
  const success = jsonBody(responses.find(([status]) => status.startsWith('2'))?.[1])
  const page = firstExample(document, success)?.meta ?? {}
  return {
    id,
    method,
    baseUrl: serverUrl(document),
    path: pathValues.reduce((at, [name, value]) => at.replace(`{${name}}`, value), path),
    pathValues: pathValues.map(([, value]) => value),
    query: valuesOf('query')
      .map(([name, value]): [string, Json] => [name, page[name] ?? value])
      .filter(([, value]) => value !== undefined),
    body: firstExample(document, jsonBody(requestBody)),
    /** The name of the schema of the success; undefined when it has no body. */
    result: success && (componentOf(success.schema) ?? 'unknown'),
  }
}

const firstExample = (document: Json, body: Json): Json =>
  resolve(document, Object.values(body?.examples ?? {})[0])?.value

/** The first server with the defaults of its variables. */
const serverUrl = (document: Json): string =>
  document.servers[0].url.replaceAll(
    /\{(\w+)\}/g,
    (_: string, name: string) => document.servers[0].variables[name].default,
  )

const urlOf = ({ baseUrl, path, query }: Call): string =>
  `${baseUrl}${path}${query.length > 0 ? `?${query.flatMap(([name, value]) => [value].flat().map((each) => `${name}=${encodeURIComponent(each)}`)).join('&')}` : ''}`

function curlSample(call: Call): string {
  const lines = [
    `curl ${call.method === 'GET' ? '' : `--request ${call.method} `}'${urlOf(call)}'`,
    '--header "Authorization: Bearer $WORKFLOW_API_KEY"',
    ...(call.body
      ? ["--header 'Content-Type: application/json'", `--data '${JSON.stringify(call.body).replaceAll("'", "'\\''")}'`]
      : []),
  ]
  return lines.join(' \\\n  ')
}

function clientSample(call: Call): string {
  const params = { ...Object.fromEntries(call.query), ...call.body }
  const args = [...call.pathValues, ...(Object.keys(params).length > 0 ? [params] : [])].map((each) => code(each))
  const name = variableOf(call)
  return [
    "import { createClient } from '@workflow-automation/contract'",
    '',
    'const client = createClient({',
    `  baseUrl: '${call.baseUrl}',`,
    '  apiKey: process.env.WORKFLOW_API_KEY!,',
    '})',
    '',
    ...(name
      ? [`const ${name} = await client.${call.id}(${args.join(', ')})`, `console.log(${name})`]
      : [`await client.${call.id}(${args.join(', ')})`]),
  ].join('\n')
}

const AUTHORIZATION = `Authorization: \`Bearer \${process.env.WORKFLOW_API_KEY}\``

function fetchSample(call: Call): string {
  const name = variableOf(call)
  return [
    ...(name ? [`import type { ${call.result} } from '@workflow-automation/contract/types'`, ''] : []),
    `const response = await fetch('${urlOf(call)}', {`,
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    call.body
      ? `  headers: {\n    ${AUTHORIZATION},\n    'Content-Type': 'application/json',\n  },`
      : `  headers: { ${AUTHORIZATION} },`,
    ...(call.body ? [`  body: JSON.stringify(${code(call.body, '  ')}),`] : []),
    '})',
    `if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)`,
    ...(name ? [`const ${name} = (await response.json()) as ${call.result}`, `console.log(${name})`] : []),
  ].join('\n')
}

/** `PlaybookList` as `playbooks`, `TriggeredRun` as `run`, `Workspace` as `workspace`. */
const variableOf = ({ result }: Call): string | undefined =>
  result
    ?.replace(/^([A-Z]\w*)List$/, '$1s')
    .replace(/^Triggered/, '')
    .replace(/^./, (letter: string) => letter.toLowerCase())

/** A value as TypeScript with single quotes. */
const code = (value: Json, indent = ''): string =>
  literal(value, indent).replaceAll(
    /"((?:[^"\\]|\\.)*)"/g,
    (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
  )
