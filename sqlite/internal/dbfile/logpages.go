package dbfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// LogMark is a place in the write-ahead log. The zero value is the start of an empty log.
type LogMark struct {
	salt   [8]byte // of the log; a log that begins again has another
	frames int64
}

// The write-ahead log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
const (
	logHeader   = 32
	frameHeader = 24
)

// LogPages calls fn with each page that was committed to the log after a mark, and returns
// the mark of now. frames is how many frames the log has now.
//
// known is false if the log has begun again so that some of the pages may not be in it any
// more. Whoever keeps another connection in a read transaction since the mark was made is
// told of all.
func (o *Opened) LogPages(since LogMark, frames int64, fn func(page uint32)) (now LogMark, known bool, err error) {
	if frames == 0 {
		return LogMark{}, true, nil // nothing was committed since it was emptied, by someone who called LogPages before
	}
	var header [logHeader]byte
	if _, err := o.logFile.ReadAt(header[:], 0); err != nil {
		return LogMark{}, false, err
	}
	now = LogMark{salt: [8]byte(header[16:24]), frames: frames}
	from := since.frames
	switch {
	case since.salt == now.salt && frames < from:
		return now, false, nil
	case since.salt == now.salt:
	case from == 0, binary.BigEndian.Uint32(now.salt[:]) == binary.BigEndian.Uint32(since.salt[:])+1:
		from = 0 // it has begun again once
	default:
		return now, false, nil
	}
	pageSize := int64(binary.BigEndian.Uint32(header[8:]))
	var frame [frameHeader]byte
	for ; from < frames; from++ {
		if _, err := o.logFile.ReadAt(frame[:], logHeader+from*(frameHeader+pageSize)); err != nil {
			if errors.Is(err, io.EOF) {
				return now, false, nil
			}
			return now, false, err
		}
		if !bytes.Equal(frame[8:16], now.salt[:]) {
			return now, false, nil
		}
		fn(binary.BigEndian.Uint32(frame[:]))
	}
	return now, true, nil
}
