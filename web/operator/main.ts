import '../styles/site.css'
import '../styles/operators.css'
import { startPage } from '../pieces/language.js'
import { showBrand } from '../pieces/site.js'

showBrand()
startPage(() => import('./app.js'))
