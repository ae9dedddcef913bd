import type { Load } from '../../../../pieces/loading/use-load.js'
import type { Satellite } from '../../../answers.js'

/** For components that show or change one satellite. */
export interface SatelliteProps {
  readonly satellite: Satellite
  readonly reload: Load<Satellite>['reload']
}
