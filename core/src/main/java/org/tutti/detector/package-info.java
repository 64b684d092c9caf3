/// Who is believed to have crashed: [TimeSilence].
package org.tutti.detector;
