const ROUND = 'M9 16A7 7 0 1 0 9 2a7 7 0 0 0 0 14Z'
const SHEET =
  'M3.5 4h11A1.5 1.5 0 0 1 16 5.5v7a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 2 12.5v-7A1.5 1.5 0 0 1 3.5 4Z'

const PATHS = {
  menu: 'M2.5 5h13M2.5 9h13M2.5 13h13',
  close: 'm5 5 8 8m0-8-8 8',
  check: 'm4 9.5 3.2 3.2L14 5.8',
  back: 'M11 4.5 6.5 9l4.5 4.5',
  choose: 'm6 7 3-3 3 3M6 11l3 3 3-3',
  up: 'M9 14V4M5 8l4-4 4 4',
  down: 'M9 4v10M5 10l4 4 4-4',
  home: 'M3 8 9 3l6 5v6.5a.5.5 0 0 1-.5.5H11v-4H7v4H3.5a.5.5 0 0 1-.5-.5Z',
  team: 'M7 8.5A2.75 2.75 0 1 0 7 3a2.75 2.75 0 0 0 0 5.5ZM2 15c0-2.6 2.2-4 5-4s5 1.4 5 4M12 3.2a2.75 2.75 0 0 1 0 5.1M13.8 11.3c1.4.6 2.2 1.9 2.2 3.7',
  card: `${SHEET}M2 7.5h14M5 11h2`,
  mail: `${SHEET}m-1.2 1.7L9 10l6.7-4.3`,
  globe: `${ROUND}M2 9h14M9 2c2 2 2.8 4.3 2.8 7s-.8 5-2.8 7c-2-2-2.8-4.3-2.8-7S7 4 9 2Z`,
  list: 'M6.5 4.5H15M6.5 9H15M6.5 13.5H15M3 4.5h.01M3 9h.01M3 13.5h.01',
  settings:
    'M2.5 5.5h6m4 0h3M2.5 12.5h3m4 0h6M10.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  person: 'M9 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM3.5 15.5c0-2.8 2.4-4.5 5.5-4.5s5.5 1.7 5.5 4.5',
  shield: 'M9 2 3.5 4v4.5c0 3.4 2.3 6.2 5.5 7.5 3.2-1.3 5.5-4.1 5.5-7.5V4ZM6.5 9l1.8 1.8 3.3-3.4',
  laptop: 'M4.5 3.5h9a1 1 0 0 1 1 1V11h-11V4.5a1 1 0 0 1 1-1ZM1.5 14h15',
  phone: 'M6 2h6a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1ZM8.5 13.5h1',
  clock: `${ROUND}M9 5v4l2.5 2`,
  key: 'M6 15.5A3.5 3.5 0 1 0 6 8.5a3.5 3.5 0 0 0 0 7ZM8.5 9.5 15 3M12 6l2 2',
  info: `${ROUND}M9 8.5v4M9 5.7h.01`,
  warning: 'M9 2.5 16.5 15.5h-15ZM9 7v4M9 13h.01',
  theme: `${ROUND}M9 2v14a7 7 0 0 1 0-14Z`,
  leave: 'M7 15H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1h3M11.5 12.5 15 9l-3.5-3.5M15 9H7',
} as const

export type IconName = keyof typeof PATHS

/** A small picture without meaning of its own: the surrounding element has the text. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 18 18" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
