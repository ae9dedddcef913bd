/** The script that draws the pages; see web/pieces/language/start.ts. */
const NAME = 'app'

/** Makes the browser fetch the script that draws the pages together with the one that requests it. */
export function earlyScripts() {
  return {
    name: 'mainstay-early-scripts',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const found = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === NAME)
        if (!found) throw new Error(`There is no script ${NAME}`)
        return [
          { tag: 'link', attrs: { rel: 'modulepreload', href: `/${found.fileName}` }, injectTo: 'head' },
        ]
      },
    },
  }
}
