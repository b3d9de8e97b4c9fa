package jsonwrite

import "time"

// AppendTime appends a time as time.Time.AppendText does, quicker where it is in
// UTC.
func AppendTime(dst []byte, t time.Time) ([]byte, error) {
	if t.Location() != time.UTC {
		return t.AppendText(dst)
	}
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendText(dst)
	}
	dst = appendClock(dst, year, int(month), day, t)
	if n := t.Nanosecond(); n != 0 {
		digits := 9
		for ; n%10 == 0; n /= 10 {
			digits--
		}
		dst = appendDigits(append(dst, '.'), n, digits)
	}
	return append(dst, 'Z'), nil
}

// appendClock appends a time up to its seconds.
func appendClock(dst []byte, year, month, day int, t time.Time) []byte {
	hour, minute, second := t.Clock()
	return append(dst,
		byte('0'+year/1000), byte('0'+year/100%10), byte('0'+year/10%10), byte('0'+year%10), '-',
		byte('0'+month/10), byte('0'+month%10), '-', byte('0'+day/10), byte('0'+day%10), 'T',
		byte('0'+hour/10), byte('0'+hour%10), ':', byte('0'+minute/10), byte('0'+minute%10), ':',
		byte('0'+second/10), byte('0'+second%10))
}

// appendDigits appends a number with so many digits, at most nine.
func appendDigits(dst []byte, n, digits int) []byte {
	var text [9]byte
	for i, n := digits-1, uint32(n); i >= 0; i, n = i-1, n/10 {
		text[i] = byte('0' + n%10)
	}
	return append(dst, text[:digits]...)
}
