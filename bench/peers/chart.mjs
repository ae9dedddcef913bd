const WIDTH = 720
const LABEL_WIDTH = 200
const VALUE_WIDTH = 80
const ROW = 26
const BAR = 16
const TITLE = 40
/** Readable on white and on black; the page that shows the picture says which it is. */
const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .bar { fill: #8c959f }
  .ours { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #6e7681 }
    .ours { fill: #4493f8 }
  }`

/** An SVG of horizontal bars: groups of `{ title, values: { name: number } }`, the first name of each in another colour. */
export function chart(groups) {
  let y = 0
  const parts = groups.flatMap(({ title, values }) => {
    const heading = text(0, y + TITLE - 14, title, 'title')
    y += TITLE
    const most = Math.max(...Object.values(values))
    const rows = Object.entries(values).map(([name, value], index) => {
      const row = bar({ name, value, share: value / most, y, kind: index === 0 ? 'bar ours' : 'bar' })
      y += ROW
      return row
    })
    return [heading, ...rows]
  })
  const label = groups.map(({ title }) => title).join('; ')
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 8}" width="${WIDTH}" role="img" aria-label="${escaped(label)}">\n` +
    `<style>${STYLE}\n</style>\n${parts.join('\n')}\n</svg>\n`
  )
}

function bar({ name, value, share, y, kind }) {
  const width = Math.max(1, share * (WIDTH - LABEL_WIDTH - VALUE_WIDTH)).toFixed(1)
  const written = value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
  return [
    text(0, y + BAR - 3, name),
    `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`,
    text(LABEL_WIDTH + Number(width) + 8, y + BAR - 3, written),
  ].join('')
}

function text(x, y, content, kind) {
  return `<text${kind ? ` class="${kind}"` : ''} x="${x}" y="${y}">${escaped(content)}</text>`
}

function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
