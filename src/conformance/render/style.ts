/** How the page of a report looks, in light and in dark. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--raised:#f6f8fa;--line:#d8dee4;--red:#b4232c;--green:#1a7038;--amber:#8a5a00;--blue:#0a5f9e;--grey:#57606a}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4ae;--paper:#0f1318;--raised:#181d24;--line:#2d343d;--red:#ff7b78;--green:#63c778;--amber:#e0ad4f;--blue:#6cb6ff;--grey:#9aa4ae}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:2.5rem 1.25rem 4rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
p{margin:0}
h1{margin:.1rem 0 .75rem;font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0;font-size:1.2rem;color:var(--tone)}
h2 span{font-weight:400}
.what,.facts,.meaning,.location,.times{color:var(--soft)}
.conclusion{font-size:1.1rem;font-weight:600}
.conclusion.good{color:var(--green)}.conclusion.bad{color:var(--red)}
.remark{margin-top:.75rem;padding:.6rem .8rem;border-left:4px solid var(--amber);background:var(--raised)}
.fail{--tone:var(--red)}.contradicted,.known{--tone:var(--amber)}.discovered,.client{--tone:var(--blue)}
.confirmed,.pass{--tone:var(--green)}.not-exercised{--tone:var(--grey)}
nav ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.5rem;margin:1.75rem 0 0;padding:0;list-style:none}
nav a,nav span{display:block;padding:.6rem .8rem;border:1px solid var(--line);border-top:4px solid var(--tone);border-radius:.35rem;color:inherit;text-decoration:none;background:var(--raised)}
nav a:hover{border-color:var(--tone)}
nav b{display:block;font-size:1.6rem;line-height:1.2;color:var(--tone)}
.none b{color:var(--soft)}.none span{border-top-color:var(--line)}
section{margin-top:2.5rem}
table{width:100%;margin-top:.75rem;border-collapse:collapse;table-layout:fixed}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.85rem}
th,td{padding:.55rem .5rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th:first-child,td:first-child{width:5.5rem;padding-left:0}
.not-exercised th:first-child,.not-exercised td:first-child{width:15rem}
abbr{font-weight:600;text-decoration:none;color:var(--tone)}
.seen:not(:first-child){margin-top:.35rem}
.seen{color:var(--soft);font-size:.95rem}
.discovered .seen{color:inherit;font-size:inherit}
.fail .seen,.contradicted .seen{color:var(--tone);font-weight:600}
.location,summary{font:.82rem/1.5 ui-monospace,monospace}
summary{cursor:pointer;color:var(--soft)}
pre{margin:.4rem 0;padding:.6rem .75rem;max-height:22rem;overflow:auto;white-space:pre-wrap;font:.8rem/1.5 ui-monospace,monospace;background:var(--raised);border:1px solid var(--line);border-radius:.35rem}
:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
@media print{body{max-width:none;padding:0}details,pre{break-inside:avoid}}
`
