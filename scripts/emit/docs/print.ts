import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Marked } from 'marked'

/**
 * The whole documentation as one plain page without a script, for paper and for the browser's own search, which see only
 * what is near the reader in Redoc's page.
 */
export async function emitPrint(markdown: string, root: string, file: string): Promise<void> {
  const parts: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens)
        const id = depth === 1 ? ` id="part-${parts.push(text) - 1}"` : ''
        return `<h${depth}${id}>${text}</h${depth}>\n`
      },
    },
  })
  const body = marked.parse(markdown, { async: false })
  const contents = parts.map((text, at) => `<li><a href="#part-${at}">${text}</a></li>`).join('')
  const style = await readFile(join(root, 'site/print.css'), 'utf8')
  await writeFile(
    file,
    `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${parts[0]}, on one page</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Contents"><ol>${contents}</ol></nav>
<main>
${body}</main>
</body>
</html>
`,
  )
}
