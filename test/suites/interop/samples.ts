import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonBody } from '../../../scripts/contract/index.js'
import { loadContract } from '../../../scripts/contract/load.js'
import { codeSamples } from '../../../scripts/emit/docs/parts/samples.js'

// Runs the documentation's samples of one language against a service: `node --import tsx samples.ts Python`, with
// BASE_URL, API_KEY and PLAYBOOK as the interop suite sets them, in an empty folder.

/** A complete program of a sample, its file, and the command that runs it. */
const LANGUAGES: Record<string, { file: string; command: string[]; program: (sample: string) => string }> = {
  Python: { file: 'sample.py', command: ['python', 'sample.py'], program: (sample) => sample },
  Go: { file: 'sample.go', command: ['go', 'run', 'sample.go'], program: (sample) => sample },
  Java: { file: 'Sample.java', command: ['java', 'Sample.java'], program: javaProgram },
  'C#': {
    file: 'Program.cs',
    command: ['dotnet', 'run'],
    program: (sample) => `using System;\nusing System.Net.Http;\n${sample}\n`,
  },
}

const CSHARP_PROJECT = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework></PropertyGroup>
</Project>
`

const { BASE_URL = '', API_KEY = '', PLAYBOOK = '', ROOT = '' } = process.env
const label = process.argv[2] ?? ''
const language = LANGUAGES[label]
if (!language) throw new Error(`There are no samples in "${label}". Languages: ${Object.keys(LANGUAGES).join(', ')}.`)
const contract = await loadContract(ROOT)
const run = await triggeredRun()
for (const operation of contract.operations) {
  const sample = codeSamples(contract, operation).find((each) => each.label === label)?.source ?? ''
  const source = sample
    .replace(/https:\/\/[^"]*?\/v1/, BASE_URL)
    .replace(/\brun_\w+/, run)
    .replace(/\bpb_\w+/, PLAYBOOK)
    .replace('YOUR_API_KEY', API_KEY)
  const folder = join(process.cwd(), operation.id)
  mkdirSync(folder)
  if (label === 'C#') writeFileSync(join(folder, 'sample.csproj'), CSHARP_PROJECT)
  writeFileSync(join(folder, language.file), language.program(source))
  const [command = '', ...args] = language.command
  const printed = execFileSync(command, args, { cwd: folder, encoding: 'utf8' })
  const hasBody = operation.responses.some(([status, response]) => status.startsWith('2') && jsonBody(response))
  const expected = hasBody ? /{/ : /^\s*$/
  if (!expected.test(printed) || /"error":/.test(printed)) throw new Error(`${label}, ${operation.id}: ${printed}`)
}

async function triggeredRun(): Promise<string> {
  const response = await fetch(`${BASE_URL}/playbooks/${PLAYBOOK}/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: '{"inputs":{}}',
  })
  return ((await response.json()) as { id: string }).id
}

function javaProgram(sample: string): string {
  const imports = 'import java.net.URI;\nimport java.net.http.*;\n'
  return `${imports}class Sample {\n  public static void main(String[] args) throws Exception {\n${sample}\n  }\n}\n`
}
