/** What VitePress' theme says wrongly to a screen reader, by component, and what it says here instead. */
const MENDS: Readonly<Record<string, readonly (readonly [was: string, is: string])[]>> = {
  // Only the pages of text have a main landmark of their own, within this.
  'VPContent.vue': [
    [
      'id="VPContent"',
      `id="VPContent"\n    :role="page.isNotFound || frontmatter.layout === 'home' ? 'main' : undefined"`,
    ],
  ],
  // The key is shown by the style sheet: what a button shows has to be in its name.
  'VPNavBarSearchButton.vue': [['Button-Key">K</kbd>', 'Button-Key"></kbd>']],
  'VPLocalSearchBox.vue': [
    ['<kbd :aria-label', '<kbd role="img" :aria-label'],
    [
      `role="button"
      :aria-owns="results?.length ? 'localsearch-list' : undefined"
      aria-expanded="true"
      aria-haspopup="listbox"`,
      'role="dialog"\n      aria-modal="true"',
    ],
    [
      'aria-autocomplete="both"',
      `role="combobox"\n            aria-autocomplete="list"\n            :aria-expanded="results?.length ? 'true' : 'false'"`,
    ],
    // The result is the link, which is named by its visible titles.
    [
      `:id="'localsearch-item-' + index"
            :aria-selected="selectedIndex === index ? 'true' : 'false'"
            role="option"`,
      'role="presentation"',
    ],
    [
      `:aria-label="[...p.titles, p.title].join(' > ')"`,
      `:id="'localsearch-item-' + index"\n              role="option"\n              :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
    ],
    ['class="title-icon"', 'class="title-icon" aria-hidden="true"'],
  ],
}

/** Mends the theme's components while they are built; a version that has changed them stops the build. */
export function accessibleTheme() {
  return {
    name: 'accessible-theme',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      const mends = /\/theme-default\/components\/(\w+\.vue)$/.exec(id)?.[1]
      return mends && MENDS[mends]?.reduce(mend, code)
    },
  }
}

function mend(code: string, [was, is]: readonly [string, string]): string {
  if (!code.includes(was)) throw new Error(`VitePress' theme no longer has ${was}: look at it again`)
  return code.replaceAll(was, is)
}
