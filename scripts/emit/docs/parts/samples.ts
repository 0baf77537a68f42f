import { HTTPSnippet } from '@readme/httpsnippet'
import {
  type Contract,
  componentOf,
  type Json,
  jsonBody,
  jsonTypeOf,
  type Operation,
  resolve,
} from '../../../contract/index.js'
import { literal } from '../../text.js'

/** The order of the tabs. The labels choose the sample that a tab shows. */
export const SAMPLE_LANGUAGES = [
  { lang: 'bash', label: 'curl' },
  { lang: 'typescript', label: 'TypeScript client' },
  { lang: 'typescript', label: 'TypeScript fetch' },
  { lang: 'python', label: 'Python' },
  { lang: 'go', label: 'Go' },
  { lang: 'java', label: 'Java' },
  { lang: 'csharp', label: 'C#' },
]

/**
 * The samples of an operation: its plainest request. The values are the examples of what is required, and of its body.
 */
export function codeSamples(contract: Contract, operation: Operation) {
  const call = callOf(contract, operation)
  const sources = [curlSample(call), clientSample(call), fetchSample(call), ...snippets(call)]
  return SAMPLE_LANGUAGES.map((language, index) => ({ ...language, source: sources[index] ?? '' }))
}

/** The plainest call of an operation's method, its value kept. */
export function methodCall(contract: Contract, operation: Operation): string {
  const { clientCall, result } = callOf(contract, operation)
  return kept(result, clientCall)
}

type Call = ReturnType<typeof callOf>

function callOf({ document }: Contract, { id, method, path, parameters, responses, requestBody }: Operation) {
  const valuesOf = (location: string): [string, Json][] =>
    parameters.filter((each) => each.in === location && each.required).map(({ name, example }) => [name, example])
  const success = jsonBody(responses.find(([status]) => status.startsWith('2'))?.[1])
  const query = valuesOf('query').filter(([, value]) => value !== undefined)
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const baseUrl: string = document.servers[0].url
  const pathWithValues = valuesOf('path').reduce((at, [name, value]) => at.replace(`{${name}}`, value), path)
  const body = firstExample(document, jsonBody(requestBody))
  const params = { ...Object.fromEntries(query), ...body }
  const args = [...valuesOf('path').map(([, value]) => value), ...(Object.keys(params).length > 0 ? [params] : [])]
  return {
    method,
    baseUrl,
    url: `${baseUrl}${pathWithValues}${search.length > 0 ? `?${search.join('&')}` : ''}`,
    body,
    mediaType: jsonTypeOf(requestBody) ?? 'application/json',
    clientCall: `await client.${id}(${args.map((each) => code(each)).join(', ')})`,
    /** The name of the schema of the success. */
    result: componentOf(success.schema) ?? 'unknown',
  }
}

const firstExample = (document: Json, body: Json): Json =>
  resolve(document, Object.values(body?.examples ?? {})[0])?.value

const curlSample = ({ method, url, body, mediaType }: Call): string =>
  [
    ...(method === 'GET' ? [`curl '${url}'`] : [`curl --request ${method}`, `'${url}'`]),
    '--header "Authorization: Bearer $WORKFLOW_API_KEY"',
    ...(body ? [`--header 'Content-Type: ${mediaType}'`] : []),
    ...(body ? [`--data '${JSON.stringify(body).replaceAll("'", "'\\''")}'`] : []),
  ].join(' \\\n  ')

const clientSample = ({ baseUrl, clientCall, result }: Call): string =>
  `import { createClient } from '@workflow-automation/contract'

const client = createClient({
  baseUrl: '${baseUrl}',
  apiKey: process.env.WORKFLOW_API_KEY!,
})

${printed(result, clientCall)}`

const KEY_HEADER = `Authorization: \`Bearer \${process.env.WORKFLOW_API_KEY}\``

const fetchSample = ({ method, url, body, mediaType, result }: Call): string =>
  [
    `import type { ${result} } from '@workflow-automation/contract/types'`,
    '',
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    body
      ? `  headers: {\n    ${KEY_HEADER},\n    'Content-Type': '${mediaType}',\n  },`
      : `  headers: { ${KEY_HEADER} },`,
    ...(body ? [`  body: JSON.stringify(${code(body, '  ')}),`] : []),
    '})',
    `if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`)`,
    printed(result, `(await response.json()) as ${result}`),
  ].join('\n')

/** The languages that have no client here, as @readme/httpsnippet writes them. */
function snippets({ method, url, body, mediaType }: Call): string[] {
  const headers = [{ name: 'Authorization', value: 'Bearer YOUR_API_KEY' }]
  if (body) headers.push({ name: 'Content-Type', value: mediaType })
  const postData = body && { mimeType: mediaType, text: JSON.stringify(body) }
  const request = new HTTPSnippet({ method, url, headers, ...(postData && { postData }) } as HarRequest)
  return [
    request.convert('python', 'requests'),
    request.convert('go', 'native'),
    request.convert('java', 'nethttp'),
    request.convert('csharp', 'httpclient'),
  ].map((source) => String(source))
}

type HarRequest = ConstructorParameters<typeof HTTPSnippet>[0]

/** Keeps a value under the name of its schema: `playbooks` for `PlaybookList`, `run` for `TriggeredRun`. */
const kept = (schema: string, expression: string): string => `const ${variableOf(schema)} = ${expression}`

/** Keeps a value and prints it. */
const printed = (schema: string, expression: string): string =>
  `${kept(schema, expression)}\nconsole.log(${variableOf(schema)})`

const variableOf = (schema: string): string =>
  schema
    .replace(/^([A-Z]\w*)List$/, '$1s')
    .replace(/^Triggered/, '')
    .replace(/^./, (letter) => letter.toLowerCase())

/** A value as TypeScript with single quotes. */
const code = (value: Json, indent = ''): string => literal(value, indent, singleQuoted)

const singleQuoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
