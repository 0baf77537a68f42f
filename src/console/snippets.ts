/** A request to show in a language. */
export interface Snippet {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** A request as a program in TypeScript, with the `fetch` of the platform. */
export function typescriptOf({ method, url, headers, body }: Snippet): string {
  const lines = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    `  headers: ${JSON.stringify(headers)},`,
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
  ]
  return `const response = await fetch(${JSON.stringify(url)}, {\n${lines.join('\n')}\n})\nconsole.log(response.status, await response.text())`
}

/** A request as a program in Python, with `requests`; JSON's strings and objects of strings are Python's too. */
export function pythonOf({ method, url, headers, body }: Snippet): string {
  const data = body === undefined ? '' : `,\n    data=${JSON.stringify(body)}`
  return `import requests\n\nresponse = requests.request(\n    ${JSON.stringify(method)},\n    ${JSON.stringify(url)},\n    headers=${JSON.stringify(headers)}${data},\n)\nprint(response.status_code, response.text)`
}
