import { t } from '../language/t.js'
import { hostOf } from './site.js'

/** Links to the sites where somebody works. A preview pattern stands for many hosts, so it has no link. */
export function SiteLinks({
  origins,
  look,
}: {
  readonly origins: readonly string[]
  /** A class for each. */
  readonly look?: string
}) {
  return origins
    .filter(origin => !origin.includes('*'))
    .map(origin => (
      <a key={origin} href={origin} className={look}>
        {t('common.goTo', { host: hostOf(origin) })}
      </a>
    ))
}
