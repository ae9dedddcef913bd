import { dateText } from '../../pieces/ago.js'
import { locale } from '../../pieces/t.js'
import type { DayFigures } from '../api.js'
import { type ConsoleKey, t } from '../language.js'

/** The latest days, which the tiles have in large and their charts in colour. */
const LATEST = 7

interface Figure {
  readonly name: ConsoleKey
  /** Of one day, or of several together; null where there is none. */
  readonly of: (days: readonly DayFigures[]) => number | null
  readonly text: (value: number) => string
}

const number = (value: number) => value.toLocaleString(locale())
const percent = (value: number) =>
  value.toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 0 })

const FIGURES: readonly Figure[] = [
  { name: 'console.figures.logins', of: days => sum(days, 'logins'), text: number },
  { name: 'console.figures.failedLogins', of: days => sum(days, 'failedLogins'), text: number },
  { name: 'console.figures.signUps', of: days => sum(days, 'signUps'), text: number },
  {
    name: 'console.figures.secondFactors',
    of: days => {
      const logins = sum(days, 'logins')
      return logins === 0 ? null : sum(days, 'secondFactors') / logins
    },
    text: percent,
  },
]

function sum(days: readonly DayFigures[], name: Exclude<keyof DayFigures, 'day'>): number {
  return days.reduce((total, day) => total + day[name], 0)
}

/** The figures of 7 and of 30 days, each with a chart; below them all of them by day. Oldest day first. */
export function FigureTiles({ days }: { readonly days: readonly DayFigures[] }) {
  return (
    <>
      <div className="tiles">
        {FIGURES.map(figure => (
          <section key={figure.name}>
            <h3>{t(figure.name)}</h3>
            <p>
              <strong>{textOf(figure, days.slice(-LATEST))}</strong>{' '}
              <small>{t('console.figures.week')}</small>
            </p>
            <Chart figure={figure} days={days} />
            <small>{t('console.figures.month', { value: textOf(figure, days) })}</small>
          </section>
        ))}
      </div>
      <details className="by-day">
        <summary>{t('console.figures.byDay')}</summary>
        <Table days={days} />
      </details>
    </>
  )
}

function textOf({ of, text }: Figure, days: readonly DayFigures[]): string {
  const value = of(days)
  return value === null ? '–' : text(value)
}

/** In units of the drawing, which is stretched to its tile. */
const HEIGHT = 40
const STEP = 4
const BAR = 3
/** What is not nothing can be seen. */
const LEAST = 1.5

/** A bar for each day; the table has the same in words. */
function Chart({ figure, days }: { readonly figure: Figure; readonly days: readonly DayFigures[] }) {
  const values = days.map(day => figure.of([day]) ?? 0)
  const most = Math.max(...values)
  const label = t('console.figures.chart', { name: t(figure.name), most: figure.text(most) })
  return (
    <svg
      className="chart"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {days.map(({ day }, index) => {
        const value = values[index] ?? 0
        const height = value === 0 ? 0 : Math.max(LEAST, (value / most) * HEIGHT)
        return (
          <rect
            key={day}
            className={index < days.length - LATEST ? '' : 'latest'}
            x={index * STEP}
            y={HEIGHT - height}
            width={BAR}
            height={height}
          />
        )
      })}
    </svg>
  )
}

function Table({ days }: { readonly days: readonly DayFigures[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('console.figures.day')}</th>
          {FIGURES.map(({ name }) => (
            <th key={name} scope="col" className="number">
              {t(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(day => (
          <tr key={day.day}>
            <td data-name={t('console.figures.day')}>
              <time dateTime={day.day}>{dateText(day.day, { dateStyle: 'medium', timeZone: 'UTC' })}</time>
            </td>
            {FIGURES.map(figure => (
              <td key={figure.name} data-name={t(figure.name)} className="number">
                {textOf(figure, [day])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
